"""The one way in which a page tells the server what was pressed."""

from debugger.evidence.markup import escape


def button(
    label: str, act: str, argument: str = "", kind: str = "", off: bool = False, **more: str
) -> str:
    """A button whose press reaches the server as (act, argument). `label` is HTML."""
    extra = "".join(f' {name.replace("_", "-")}="{escape(value)}"' for name, value in more.items())
    return (
        f'<button type="button" class="{kind}" data-act="{act}" data-with="{escape(argument)}"'
        f"{' disabled' if off else ''}{extra}>{label}</button>"
    )
