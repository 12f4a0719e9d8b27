"""Small pieces of HTML. Whatever a script, a run or a learner wrote goes through `escape`."""

from html import escape as escaped

from debugger.printing.sentences import clean

# gradio evaluates braces in what a component shows.
_EVALUATED = {"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;"}


def escape(text: object) -> str:
    """Text that stays text, in the browser and in gradio's templates."""
    plain = escaped(clean(str(text)))
    return "".join(_EVALUATED.get(letter, letter) for letter in plain)


def button(
    label: str, act: str, argument: str = "", kind: str = "", off: bool = False, **more: str
) -> str:
    """A button whose press reaches the server as (act, argument). `label` is HTML."""
    extra = "".join(f' {name.replace("_", "-")}="{escape(value)}"' for name, value in more.items())
    return (
        f'<button type="button" class="{kind}" data-act="{act}" data-with="{escape(argument)}"'
        f"{' disabled' if off else ''}{extra}>{label}</button>"
    )


def folded(summary: str, inside: str, kind: str = "") -> str:
    """`summary` and `inside` are HTML."""
    return f'<details class="{kind}"><summary>{summary}</summary>{inside}</details>'
