"""`python -m tools.bank prove`: trains every base and every fault, and keeps what came out.

A base is healthy when it reaches what its file says. A fault is harmful when the script ends in an
error, when it prints no number any more, or when its number is far from the base's: `FAR` of the
way for a number between 0 and 1, or a fifth of it for another.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tools.bank import training
from tools.bank.cases import FAMILIES, HOME, BankError, Base, Case, Fault, bases, broken, healthy

KEPT = HOME / "proved.json"
LIST = Path(__file__).parents[2] / "docs" / "FAULTS.md"
HEAD = """# Faults that people met

Written by `python -m tools.bank list` from `tests/bank/faults/*.toml`. Each is an exact replacement
on a healthy script of `tests/bank/bases` and was trained beside it, with the same seed: *crash*, it
ends in an error; *silent*, no number is printed any more; otherwise the number that the script
prints. *Harmless* ones are not counted in docs/SCORE.md: 20 seconds of training do not show the
harm. An address is that of the issue, thread or published taxonomy where it was met."""
FAR = 0.05
LIBRARIES = ("torch", "transformers", "datasets", "tensorflow", "tf-keras")
Proofs = dict[str, dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("prove", "check", "list"))
    parser.add_argument("--only", default="", help="bases and faults whose id holds this")
    parser.add_argument("--again", action="store_true", help="what is proved already, too")
    parser.add_argument("--framework", choices=tuple(training.ENVIRONMENTS))
    asked = parser.parse_args()
    if asked.command == "check":
        check()
    elif asked.command == "list":
        LIST.write_text(listed(), encoding="utf-8")
    elif asked.framework and _is_set(asked.framework):
        prove(asked.framework, asked.only, asked.again)
    else:
        for framework in [asked.framework] if asked.framework else training.ENVIRONMENTS:
            command = [sys.executable, "-m", "tools.bank", *sys.argv[1:], "--framework", framework]
            subprocess.run(command, env={**os.environ, **_environment(framework)}, check=True)


def _environment(framework: str) -> dict[str, str]:
    return {**training.EVERYWHERE, **training.ENVIRONMENTS[framework]}


def _is_set(framework: str) -> bool:
    """What the libraries read when they are imported, and hardly anybody types."""
    return all(os.environ.get(name) == value for name, value in _environment(framework).items())


def cases(framework: str) -> Iterator[Case]:
    for base in bases():
        if base.framework == framework:
            yield healthy(base)
            yield from (broken(base, fault) for fault in base.faults)


def prove(framework: str, only: str, again: bool) -> None:
    known = read()
    stale = [case for case in cases(framework) if again or not is_proved(case, known)]
    wanted = [case for case in stale if only in case.id or only == case.base.id]
    for case, trained in training.serve(iter(wanted), framework):
        known = read()  # another framework's may have come in between
        known[case.id] = {
            "text": digest(case),
            **training.as_json(trained),
            "date": datetime.now(UTC).date().isoformat(),
            "versions": {name: importlib.metadata.version(name) for name in LIBRARIES},
        }
        write(known)
        said = verdict(case, known)
        print(f"{case.id:34} {said:9} {trained.number} {trained.error} {trained.seconds:.1f} s")
        sys.stdout.flush()


def is_proved(case: Case, known: Proofs) -> bool:
    mine = known.get(case.id, {})
    return mine.get("text") == digest(case) and not mine.get("error", "").startswith(training.LATE)


def verdict(case: Case, known: Proofs) -> str:
    """healthy or ill for a base; crash, silent, worse, better or harmless for a fault."""
    base, mine = known.get(case.base.id), known.get(case.id)
    if base is None or mine is None or mine.get("error", "").startswith(training.LATE):
        return "unproved"
    if case.fault is None:
        return "healthy" if is_healthy(case.base, mine.get("number")) else "ill"
    if base.get("number") is None:
        return "unproved"
    return harm(case.base, base.get("number"), mine)


def is_healthy(base: Base, number: float | None) -> bool:
    if number is None or math.isnan(number):
        return False
    return number >= base.healthy if base.better == "high" else number <= base.healthy


def harm(base: Base, healthy: float | None, proof: dict[str, Any]) -> str:
    if proof.get("error"):
        return "crash"
    number = proof.get("number")
    if number is None or not math.isfinite(number):
        return "silent"
    assert healthy is not None
    far = FAR if 0 <= healthy <= 1 and base.better == "high" else abs(healthy) / 5
    if abs(number - healthy) < far:
        return "harmless"
    return "worse" if (number < healthy) == (base.better == "high") else "better"


def check() -> None:
    """Whether all files hold together, without training anything."""
    wrong: list[str] = []
    ids: set[str] = set()
    for base in bases():
        for fault in (None, *base.faults):
            try:
                case = broken(base, fault) if fault else healthy(base)
                _ = case.to_blame
            except BankError as error:
                wrong.append(f"{fault.id if fault else base.id}: {error}")
                continue
            if case.id in ids:
                wrong.append(f"{case.id}: twice")
            ids.add(case.id)
            wrong += [f"{case.id}: {said}" for said in unparsable(case)]
    wrong += [f"{name}: proved, and not in the bank" for name in read() if name not in ids]
    print("\n".join(wrong) or f"{len(ids)} scripts")
    sys.exit(bool(wrong))


def unparsable(case: Case) -> Iterator[str]:
    for name, text in case.files.items():
        try:
            compile(text, name, "exec")
        except SyntaxError as error:
            yield f"{name}: {error}"


def listed() -> str:
    """docs/FAULTS.md: every fault with its address and what it did."""
    known, lines = read(), [HEAD]
    every = [fault for base in bases() for fault in base.faults]
    counts = Counter(
        verdict(broken(base, fault), known) for base in bases() for fault in base.faults
    )
    addresses = len({fault.source for fault in every})
    told = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    lines.append(f"\n{len(every)} faults from {addresses} addresses: {told}.\n")
    for family in FAMILIES:
        lines += [f"\n## {family.capitalize()}\n", "| fault | what is wrong | did | met at |"]
        lines.append("|---|---|---|---|")
        for base in bases():
            lines += [
                f"| `{fault.id}` | {fault.cause} | {_did(base, fault, known)} | {fault.source} |"
                for fault in base.faults
                if fault.family == family
            ]
    return "\n".join(lines) + "\n"


def _did(base: Base, fault: Fault, known: Proofs) -> str:
    said = verdict(broken(base, fault), known)
    if said not in ("worse", "better"):
        return said
    return f"{base.number} {known[base.id]['number']:.3g} became {known[fault.id]['number']:.3g}"


def digest(case: Case) -> str:
    text = json.dumps([case.files[name] for name in sorted(case.files)])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def read() -> Proofs:
    return json.loads(KEPT.read_text()) if KEPT.exists() else {}


def write(known: Proofs) -> None:
    """At once, because a training in the other framework may read it."""
    written = KEPT.with_suffix(f".{os.getpid()}")
    written.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
    written.replace(KEPT)


if __name__ == "__main__":
    main()
