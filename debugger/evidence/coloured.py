"""Python in colours, as HTML."""

from functools import lru_cache

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, String

from debugger.evidence.markup import escape

_KINDS = (
    (Comment, "cm"),
    (Keyword, "kw"),
    (String, "st"),
    (Number, "nu"),
    (Name.Function, "fn"),
    (Name.Builtin, "fn"),
)


@lru_cache(maxsize=512)
def coloured(text: str) -> tuple[str, ...]:
    """Each line of Python as HTML."""
    lines = [""]
    for token, piece in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        kind = next((name for of, name in _KINDS if token in of), None)
        for number, part in enumerate(piece.split("\n")):
            if number:
                lines.append("")
            if part:
                shown = escape(part)
                lines[-1] += f'<i class="{kind}">{shown}</i>' if kind else shown
    return tuple(lines)
