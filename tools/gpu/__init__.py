"""The parts of a day with a GPU; see `tools/gpu_day.py`."""
