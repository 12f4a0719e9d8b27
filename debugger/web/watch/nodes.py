"""The machines of a cluster, as the host's page lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from debugger.evidence.markup import escape
from debugger.words import Words
from debugger.workers.cluster import Trouble

HEADS = ("node", "running", "workers", "residents", "node_memory")


def nodes(status: Mapping[str, Any], words: Words) -> str:
    """Nothing where this machine runs the scripts itself."""
    if "nodes" not in status:
        return ""
    troubles = "".join(
        f'<p class="warn">{escape(_said(one, words))}</p>' for one in status["troubles"]
    )
    if not status["nodes"]:
        return f"{troubles}<p>{escape(words.say('host', 'no_nodes'))}</p>"
    heads = "".join(f'<th scope="col">{escape(words.say("host", code))}</th>' for code in HEADS)
    rows = "".join(f"<tr>{_row(node, words)}</tr>" for node in status["nodes"])
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    label = escape(words.say("host", "nodes"))
    return (
        f'{troubles}<div class="wide" tabindex="0" role="region" aria-label="{label}">{table}</div>'
    )


def _said(trouble: Trouble, words: Words) -> str:
    return words.say("host", trouble.code, name=trouble.name, how=trouble.how.rstrip("."))


def _row(node: Mapping[str, Any], words: Words) -> str:
    memory = words.say("host", "node_new")
    if node["of_mb"] is not None:
        memory = words.say("host", "node_line", free=node["free_mb"], of=node["of_mb"])
    cells = [*(f"{node[code]:,}" for code in HEADS[1:4]), memory]
    listed = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<th scope="row">{escape(node["name"])}</th>{listed}'
