"""Small pieces of HTML. Whatever a script, a run or a learner wrote goes through `escape`."""

import re
from html import escape as escaped

from debugger.evidence.plain import clean

# gradio evaluates braces in what a component shows.
_EVALUATED = {"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;"}


def escape(text: object) -> str:
    """Text that stays text: in a browser, in a notebook and in gradio's templates."""
    plain = escaped(clean(str(text)))
    return "".join(_EVALUATED.get(letter, letter) for letter in plain)


def sentence(text: str) -> str:
    """The same for our own sentences, which set names from code in backticks."""
    return re.sub(r"&#96;(.+?)&#96;", r"<code>\1</code>", escape(text))


def folded(summary: str, inside: str, kind: str = "") -> str:
    """`summary` and `inside` are HTML."""
    return f'<details class="{kind}"><summary>{summary}</summary>{inside}</details>'
