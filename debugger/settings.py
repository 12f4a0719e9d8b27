"""Every CLINIC_ setting, read once. A wrong value stops the start with a sentence that names it.

A Hugging Face Space says where to listen in GRADIO_SERVER_NAME; CLINIC_HOST goes before it. One
with ZeroGPU says so in SPACES_ZERO_GPU.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

DEVICES = ("auto", "cpu", "cuda")
ASSETS = ("bundled", "hub")
MEMORY_MB = 3000, 6000
SWITCH = ("off", "on")
TYPED = ("auto", "off")
RESIDENTS = 2
LEAST_GPU_SHARE = 0.1
ZERO_GPU = "SPACES_ZERO_GPU"
"""Set by the platform."""
TOKEN_LETTERS, KEY_LETTERS = 16, 32
_CLUSTER = re.compile(r"ray://(?:[\w.-]+|\[[0-9a-fA-F:]+\]):\d{1,5}")


class SettingError(ValueError):
    """A sentence for the person who starts the clinic."""


@dataclass(frozen=True)
class Settings:
    """`checkpoint`, `dataset` and `metric` are names or folders; empty ones follow `assets`.

    `stage_limit` is in seconds, for a stage that does not train.
    `queue` is how many runs may wait in each lane.
    `gpu_share` is how much of a GPU's memory one run may take, of 1.
    `typed`: code that somebody typed may run, where the sandbox keeps what it promises.
    `upload_mb` and `upload_files` bound the data beside a script of somebody's own, `runs_a_minute`
    what one session may start, `sessions` how many the server remembers. `host_token` opens the
    host's page and the metrics; where it is empty there are none. `key` signs what was solved;
    where it is empty, what `key_file` holds does. `zero_gpu`: this is a Space that lends its
    visitors a GPU for a moment, and has none otherwise. `cluster` is the address of the Ray cluster
    that runs scripts; where it is empty this machine does.
    """

    assets: str
    checkpoint: str
    dataset: str
    metric: str
    device: str
    workers: int
    queue: int
    data_dir: Path
    time_limit: float
    stage_limit: float
    memory_mb: int
    host: str
    port: int
    login: tuple[str, str] | None
    mcp: bool
    typed: bool
    residents: int
    gpu_share: float
    store: Path
    store_mb: float
    upload_mb: int
    upload_files: int
    runs_a_minute: int
    sessions: int
    host_token: str = field(repr=False)
    key: str = field(repr=False)
    key_file: Path
    zero_gpu: bool
    cluster: str


def read(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this process, or a SettingError that names the wrong one."""
    reader = _Reader(environment)
    data_dir = reader.data_dir("CLINIC_DATA_DIR")
    workers = int(reader.number("CLINIC_WORKERS", os.cpu_count() or 1, 1, 256))
    residents = int(reader.number("CLINIC_RESIDENTS", RESIDENTS, 0, 64))
    settings = Settings(
        assets=reader.one_of("CLINIC_ASSETS", "bundled", ASSETS),
        checkpoint=reader.text("CLINIC_CHECKPOINT", ""),
        dataset=reader.text("CLINIC_DATASET", ""),
        metric=reader.text("CLINIC_METRIC", ""),
        device=reader.one_of("CLINIC_DEVICE", "auto", DEVICES),
        workers=workers,
        queue=int(reader.number("CLINIC_QUEUE", 200, 1, 100_000)),
        data_dir=data_dir,
        time_limit=reader.number("CLINIC_TIME_LIMIT", 300, 1, 86_400),
        stage_limit=reader.number("CLINIC_STAGE_LIMIT", 120, 1, 86_400),
        memory_mb=int(reader.number("CLINIC_MEMORY_MB", _memory_mb(), 500, 1_000_000)),
        host=reader.text("CLINIC_HOST", environment.get("GRADIO_SERVER_NAME", "127.0.0.1")),
        port=int(reader.number("CLINIC_PORT", 7860, 1, 65_535)),
        login=reader.login("CLINIC_LOGIN"),
        mcp=reader.one_of("CLINIC_MCP", "off", SWITCH) == "on",
        typed=reader.one_of("CLINIC_TYPED", "auto", TYPED) == "auto",
        residents=residents,
        gpu_share=reader.number("CLINIC_GPU_SHARE", _gpu_share(workers, residents), 0.01, 1),
        store=Path(reader.text("CLINIC_STORE", str(data_dir / "answers.sqlite"))).expanduser(),
        store_mb=reader.number("CLINIC_STORE_MB", 500, 0, 100_000),
        upload_mb=int(reader.number("CLINIC_UPLOAD_MB", 4, 1, 64)),
        upload_files=int(reader.number("CLINIC_UPLOAD_FILES", 8, 0, 50)),
        runs_a_minute=int(reader.number("CLINIC_RUNS_A_MINUTE", 30, 1, 1_000)),
        sessions=int(reader.number("CLINIC_SESSIONS", 2_000, 1, 100_000)),
        host_token=reader.token("CLINIC_HOST_TOKEN", TOKEN_LETTERS),
        key=reader.token("CLINIC_KEY", KEY_LETTERS),
        key_file=Path(reader.text("CLINIC_KEY_FILE", str(data_dir / "clinic.key"))).expanduser(),
        zero_gpu=environment.get(ZERO_GPU, "").lower() in ("1", "t", "true"),
        cluster=reader.cluster("CLINIC_CLUSTER"),
    )
    reader.refuse_unknown()
    if settings.mcp and settings.login:
        raise SettingError(
            "CLINIC_MCP=on does not go together with CLINIC_LOGIN: "
            "what the MCP server offers would be open to everybody."
        )
    return _without_a_gpu(settings) if settings.zero_gpu else settings


def data_folder(environment: Mapping[str, str]) -> Path:
    """Where a process keeps its files that was given no settings but its environment."""
    return _Reader(environment).data_dir("CLINIC_DATA_DIR")


def _without_a_gpu(settings: Settings) -> Settings:
    """Outside of a lease whoever asks for CUDA there may wait for ever."""
    if settings.device == "cuda":
        raise SettingError(
            "CLINIC_DEVICE=cuda does not go together with ZeroGPU, which lends a GPU for moments:"
            " leave it out, and what needs a GPU asks for one."
        )
    if settings.cluster:
        raise SettingError(
            "CLINIC_CLUSTER does not go together with ZeroGPU, whose lent GPU no other machine has."
        )
    return replace(settings, device="cpu")


def _gpu_share(workers: int, residents: int) -> float:
    """So much that all who can be there at once have enough, but never next to nothing."""
    return round(max(LEAST_GPU_SHARE, 1 / (2 * workers + residents)), 2)


def _memory_mb() -> int:
    """For one run: a quarter of what this machine has, within bounds."""
    has = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    least, most = MEMORY_MB
    return min(most, max(least, has // 4))


class _Reader:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._given = {k: v for k, v in environment.items() if k.startswith("CLINIC_")}
        self._known: set[str] = set()

    def text(self, name: str, default: str) -> str:
        self._known.add(name)
        return self._given.get(name, "").strip() or default

    def data_dir(self, name: str) -> Path:
        return Path(self.text(name, "~/.cache/training-clinic")).expanduser()

    def cluster(self, name: str) -> str:
        """The sentence about a wrong one does not tell it: somebody may have put a token there."""
        value = self.text(name, "")
        if value and not _CLUSTER.fullmatch(value):
            raise SettingError(
                f"{name} must be the address of a Ray cluster's head, such as ray://10.0.0.5:10001."
                " The token does not stand in it: Ray reads RAY_AUTH_TOKEN."
            )
        return value

    def one_of(self, name: str, default: str, allowed: tuple[str, ...]) -> str:
        value = self.text(name, default)
        if value not in allowed:
            raise SettingError(f"{name} is {value!r}; it must be one of {', '.join(allowed)}.")
        return value

    def number(self, name: str, default: float, low: float, high: float) -> float:
        value = self.text(name, str(default))
        try:
            number = float(value)
        except ValueError:
            raise SettingError(f"{name} is {value!r}; it must be a number.") from None
        if not low <= number <= high:
            raise SettingError(f"{name} is {value}; it must lie between {low} and {high}.")
        return number

    def login(self, name: str) -> tuple[str, str] | None:
        value = self.text(name, "")
        user, _, password = value.partition(":")
        if value and not (user and password):
            raise SettingError(f"{name} must be a name and a password with a colon between them.")
        return (user, password) if value else None

    def token(self, name: str, letters: int) -> str:
        """The sentence about a wrong one does not tell it: logs are read by others."""
        value = self.text(name, "")
        if value and not re.fullmatch(rf"[!-~]{{{letters},}}", value):
            raise SettingError(
                f"{name} must be at least {letters} letters, digits or signs of ASCII,"
                f" without a space: `openssl rand -hex {letters}` makes one."
            )
        return value

    def refuse_unknown(self) -> None:
        for name in sorted(self._given.keys() - self._known):
            known = ", ".join(sorted(self._known))
            raise SettingError(f"{name} is not a setting of the clinic. It knows {known}.")
