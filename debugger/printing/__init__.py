"""A report as people read it: text for a terminal, HTML for a notebook."""

from debugger.printing.html import to_html
from debugger.printing.text import to_text
from debugger.report import Report
from debugger.words import Words


class ReadableReport(Report):
    """A report that shows itself: printed, and at the end of a notebook's cell."""

    def __str__(self) -> str:
        return to_text(self, words=Words(self.language))

    def _repr_html_(self) -> str:
        return to_html(self, Words(self.language))


__all__ = ["ReadableReport", "to_html", "to_text"]
