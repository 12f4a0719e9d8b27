"""A report as people read it: text for a terminal, HTML for a notebook."""

from debugger.printing.html import to_html
from debugger.printing.text import to_text

__all__ = ["to_html", "to_text"]
