"""The repair panel: changes to choose from, what they really do, and the proof at the end."""

from __future__ import annotations

from debugger.catalogue import Cheat, Fix
from debugger.catalogue.scenario import Said
from debugger.evidence.markup import escape
from debugger.web import listing
from debugger.web.buttons import button
from debugger.web.languages import linked
from debugger.web.scene import Scene
from debugger.words import Words

LEARNT = 0.1
"""How far above the most common class an accuracy must lie to be called learning."""


def repairs(scene: Scene, words: Words) -> str:
    def say(word: str, **numbers: object) -> str:
        return escape(words.say("clinic", word, **numbers))

    parts = []
    if scene.left_alone or (scene.whole is not None and scene.visit.changes):
        parts.append(proof(scene, words))
    parts += [_applied(scene, words, patch_id) for patch_id in scene.visit.changes]
    if not scene.cured:
        head = say("pick_more" if scene.visit.changes or scene.scenario.stacked else "pick")
        options = "".join(_option(scene, words, patch) for patch in scene.patches)
        parts.append(f"<h2>{head}</h2><ul class='options'>{options}</ul>")
        parts.append(_chosen(scene, words))
    parts.append(f'<p class="small">{_ways_out(scene, words)}</p>')
    return "".join(parts)


def _said(scene: Scene, patch_id: str) -> Said:
    words = scene.scenario.words
    return words.fixes.get(patch_id) or words.cheats[patch_id]


def _option(scene: Scene, words: Words, patch: Fix | Cheat) -> str:
    if patch.id in scene.visit.changes:
        return ""
    label = escape(_said(scene, patch.id).label)
    if patch.id in scene.case.tried:
        label += f" <small>({escape(words.say('clinic', 'tried'))})</small>"
    chosen = str(scene.visit.chosen == patch.id).lower()
    return f"<li>{button(label, 'choose', patch.id, 'choice', aria_pressed=chosen)}</li>"


def _chosen(scene: Scene, words: Words) -> str:
    patch = next((p for p in scene.patches if p.id == scene.visit.chosen), None)
    if patch is None:
        return f'<p class="empty">{escape(words.say("clinic", "not_yet_tried"))}</p>'
    changes = scene.with_patch(patch.id)
    gone = [_said(scene, change) for change in scene.visit.changes if change not in changes]
    instead = "".join(
        f"<p class='dim'>{escape(words.say('clinic', 'instead', label=said.label))}</p>"
        for said in gone
    )
    after = scene.scenario.changed(changes)
    shown = listing.diff(scene.script, after, *listing.diff_words(words))
    apply = escape(words.say("clinic", "apply"))
    return instead + shown + f"<p>{button(apply, 'apply', patch.id, 'go', scene.occupied)}</p>"


def _applied(scene: Scene, words: Words, patch_id: str) -> str:
    """A change that is in the script, and, once it has run, what really happens with it."""
    said = _said(scene, patch_id)
    head = escape(words.say("clinic", "applied", label=said.label))
    really = ""
    if scene.reports and scene.busy is None and patch_id == scene.visit.changes[-1]:
        really = f"<p><b>{escape(words.say('clinic', 'really'))}:</b> {escape(said.says)}</p>"
    back = escape(words.say("clinic", "take_back", label=said.label))
    off = scene.occupied
    return (
        f'<div class="applied"><p><b>{head}</b></p>{really}'
        f"<p>{button(back, 'back', patch_id, 'plain', off)}</p></div>"
    )


def _ways_out(scene: Scene, words: Words) -> str:
    solution = ""
    if not scene.cured and not scene.scenario.decoy:
        label = escape(words.say("clinic", "solution"))
        solution = button(label, "solution", kind="plain answer", off=scene.occupied)
    reset = escape(words.say("clinic", "reset"))
    sure = words.say("clinic", "reset_sure")
    return solution + button(reset, "reset", kind="plain", data_ask=sure)


def proof(scene: Scene, words: Words) -> str:
    """The judge's verdict, then the lesson, what it cost, what to take away, and where to go on."""

    def say(word: str, **numbers: object) -> str:
        return escape(words.say("clinic", word, **numbers))

    verdict = scene.verdict
    if verdict is None:
        return f'<div class="verdict look"><p>{say("prove")}</p></div>'
    if not verdict.cured:
        missing = "".join(
            f"<li>{escape(words.say('missing', code))}</li>" for code in verdict.missing
        )
        return f'<div class="verdict fail"><p><b>{say("not_cured")}</b></p><ul>{missing}</ul></div>'
    if scene.scenario.decoy and not scene.visit.changes:
        head, says = say("healthy"), say("healthy_says")
    elif scene.scenario.decoy:
        head, says = say("healthy"), say("healthy_too")
    elif (accuracy := verdict.metric.get("accuracy")) is not None:
        learnt = accuracy > (verdict.metric.get("majority") or 0) + LEARNT
        head = say("cured")
        says = say(
            "cured_says" if learnt else "cured_says_short",
            value=f"{accuracy:.0%}",
            steps=verdict.metric["steps"],
            twin=f"{verdict.twin_metric['accuracy']:.0%}",
        )
    else:
        head, says = say("cured"), say("cured_says_plain")
    peeked = f"<p>{say('solution_says')}</p>" if scene.case.peeked else ""
    return (
        f'<div class="verdict pass proof"><p><span class="mark" aria-hidden="true">✓</span>'
        f"<b>{head}</b></p><p>{says}</p>{peeked}"
        f"<h3>{say('lesson')}</h3><p>{escape(scene.scenario.words.lesson)}</p>"
        f"{_cost(scene, words)}{_take_away(scene, words)}</div>"
    )


def _cost(scene: Scene, words: Words) -> str:
    """Seconds of computing until the fault could be seen, beside what the training alone took."""
    first = scene.scenario.first_stage
    if first is None or first not in scene.broken:
        return ""
    seconds = sum(
        scene.broken[stage].seconds for stage in {"setup", first} if stage in scene.broken
    )
    said = [words.say("clinic", "cost_seen", seconds=seconds, stage=words.say("short", first))]
    if "train" in scene.broken and first != "train":
        alone = scene.broken["train"].seconds + scene.broken["setup"].seconds
        said.append(words.say("clinic", "cost_train", seconds=alone))
    return f"<h3>{escape(words.say('clinic', 'cost'))}</h3><p>{escape(' '.join(said))}</p>"


def _take_away(scene: Scene, words: Words) -> str:
    def say(word: str, **numbers: object) -> str:
        return escape(words.say("clinic", word, **numbers))

    name = scene.scenario.id
    changes = escape(",".join(scene.visit.changes))
    links = [
        f'<a href="take/{name}.py?fixes={changes}" download="{name}.py">{say("take_script")}</a>',
        f'<a href="{linked(f"take/{name}.ipynb", words)}" download="{name}.ipynb">'
        f"{say('take_notebook')}</a>",
    ]
    after = scene.following
    if after is not None:
        title = say("next_scenario", title=after.words.title)
        links.append(
            f'<a class="go" href="{linked(f"clinic?scenario={after.id}", words)}">{title}</a>'
        )
    else:
        links.append(f'<a class="go" href="{linked("./", words)}">{say("back_home")}</a>')
    return f'<p class="links">{"".join(links)}</p>'
