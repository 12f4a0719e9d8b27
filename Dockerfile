# Training Clinic for a GPU box, or any machine with Docker: see compose.yaml.
FROM python:3.12-slim

RUN useradd --create-home --uid 1000 clinic && install -d -o 1000 -g 1000 /data /store
WORKDIR /app
COPY requirements.txt requirements-torch.txt ./
RUN pip install --no-cache-dir -r requirements.txt
COPY . .
RUN python -m compileall -q app.py debugger scenarios

USER 1000
ENV CLINIC_HOST=0.0.0.0 CLINIC_DATA_DIR=/data
VOLUME /data
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:7860/health', timeout=4)"]
CMD ["python", "app.py"]
