"""A report as one self-contained piece of HTML for a notebook: no script, no request, all escaped.

It takes text and ground from the page around it, so that it reads in light and dark themes alike.
"""

from debugger.evidence.html import chart, inside, shown, style
from debugger.evidence.markup import escape, folded
from debugger.outcome import Evidence, Finding
from debugger.printing.sentences import MARKS, conclusion, heading, not_judged, ran, setting
from debugger.report import Report, StageReport
from debugger.words import Words

# The colours are in the middle, to be read on a light and on a dark ground.
STYLE = """
.clinic-report{--fs:1;--font:system-ui,sans-serif;--font-mono:ui-monospace,monospace;
--ink:currentColor;--dim:color-mix(in srgb,currentColor 72%,transparent);
--line:rgba(128,128,128,.4);--card:transparent;--page:transparent;--code:transparent;
--acc:#1a8299;--nu:#2f7fd0;--kw:#8a63d2;--ok:#2e9160;--st:#2e9160;--cm:#808a94;--bad:#d0454a;
--warn:#b67a14;font:14px/1.5 var(--font);max-width:60em;color:inherit}
.clinic-report :is(h3,p,ol,li,pre,table){margin:0;padding:0;color:inherit;font-size:inherit}
.clinic-report :is(ol,li){list-style:none}
.clinic-report h3{font-weight:700;margin:.8em 0 .3em}
.clinic-report :is(p,li){margin:.3em 0}
.clinic-report .end{font-weight:700;font-size:1.1em}
.clinic-report .dim{color:var(--dim);font-size:.92em}
.clinic-report>details{border:1px solid var(--line);border-radius:6px;margin:4px 0}
.clinic-report>details>summary{padding:6px 10px}
.clinic-report .in{padding:2px 12px 10px}
.clinic-report .state{display:inline-block;min-width:8.5em;padding:0 8px;border-radius:4px;
color:#fff;background:#56636f;font-size:.92em}
.clinic-report .state.pass{background:#17693b}.clinic-report .state:is(.fail,.stopped)
{background:#a3161a}.clinic-report .state:is(.look,.unknown){background:#7a4b00}
.clinic-report .found{border-left:4px solid #56636f;padding-left:10px}
.clinic-report .found.fault{border-color:#c8383c}.clinic-report .found.look{border-color:#b67a14}
.clinic-report .evidence{max-width:46em}
"""


def to_html(report: Report, words: Words | None = None) -> str:
    """The whole report; stages with something to see stand open, the others fold out."""
    words = (words or Words()).of(report.framework)
    stages = ran(report)
    rest = ", ".join(stage.stage for stage in report.stages if stage not in stages)
    parts = [
        f"<style>{STYLE}{style()}</style>",
        f'<p class="end">{escape(conclusion(report, words))}</p>',
        *(_stage(stage, words) for stage in stages),
        f'<p class="dim">{escape(words.say("outcome", "not run"))}: {rest}</p>' if rest else "",
        f'<p class="dim">{escape(setting(report, words))}</p>',
    ]
    return f'<div class="clinic-report">{"".join(parts)}</div>'


def _stage(stage: StageReport, words: Words) -> str:
    is_open = " open" if stage.outcome in ("fail", "stopped", "unknown", "look") else ""
    state = f"{MARKS[stage.outcome]} {words.say('outcome', stage.outcome)}"
    inside = [
        *(_finding(finding, words) for finding in stage.findings),
        *(_evidence(evidence, words) for evidence in stage.evidence),
    ]
    inside.append(unjudged(stage, words))
    if stage.curves and not any(shown.kind == "chart" for shown in stage.evidence):
        inside.append(chart({"series": stage.curves}, words))
    return (
        f'<details{is_open}><summary><span class="state {stage.outcome}">{escape(state)}</span> '
        f"<b>{stage.stage}</b> {escape(words.say('stage', stage.stage))} "
        f'<span class="dim">{stage.seconds:.2f} s</span></summary>'
        f'<div class="in">{"".join(inside)}</div></details>'
    )


def unjudged(stage: StageReport, words: Words) -> str:
    """The rules that could not judge, folded away; nothing where all of them could."""
    listed = "".join(f"<li>{escape(line)}</li>" for line in not_judged(stage, words))
    return folded(escape(words.say("clinic", "not_judged")), f"<ul>{listed}</ul>") if listed else ""


def _finding(finding: Finding, words: Words) -> str:
    sentence = escape(words.finding(finding))
    return (
        f'<p class="found {finding.severity}"><b>{escape(heading(finding, words))}:</b> {sentence} '
        f'<span class="dim">{escape(finding.code)}</span></p>'
    )


def _evidence(evidence: Evidence, words: Words) -> str:
    if evidence.code == "console":
        return folded(escape(words.say("evidence", "console")), inside(evidence, words))
    return shown(evidence, words)
