"""Every sentence a person reads, by code, one file for each language."""

import string
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from debugger.outcome import Finding

HERE = Path(__file__).parent


@cache
def _sentences(language: str) -> dict[str, Any]:
    with open(HERE / f"{language}.toml", "rb") as file:
        return tomllib.load(file)


class _Filler(string.Formatter):
    """Numbers that are not finite travel as null; they are still worth a sentence."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return "nan" if value is None else super().format_field(value, format_spec)


class Words:
    """The sentences of one language. A missing one is an error of ours and raises KeyError."""

    def __init__(self, language: str = "en") -> None:
        self._sentences = _sentences(language)

    def say(self, table: str, code: str, **numbers: Any) -> str:
        return _Filler().vformat(self._sentences[table][code], (), numbers)

    def has(self, table: str, code: str) -> bool:
        return code in self._sentences[table]

    def finding(self, finding: Finding) -> str:
        known_limit = finding.code == "out_of_memory" and "memory_mb" in finding.numbers
        code = "out_of_memory_of_run" if known_limit else finding.code
        table = f"finding_{finding.numbers.get('framework', '')}"
        own = table in self._sentences and self.has(table, code)
        return self.say(table if own else "finding", code, **finding.numbers)
