"""The repair panel: changes to choose from, and what they really do."""

from __future__ import annotations

from debugger.catalogue import Cheat, Fix
from debugger.evidence.markup import escape, sentence
from debugger.web import listing
from debugger.web.buttons import button
from debugger.web.finale import proof
from debugger.web.scene import Scene
from debugger.web.typed import nearest
from debugger.web.visit import is_typed
from debugger.words import Words


def repairs(scene: Scene, words: Words) -> str:
    def say(word: str, **numbers: object) -> str:
        return escape(words.say("clinic", word, **numbers))

    parts = []
    asked = scene.visit.changes or scene.case.peeked
    if scene.left_alone or (scene.whole is not None and asked):
        parts.append(proof(scene, words))
    if is_typed(scene.visit.changes):
        parts.append(_typed(scene, words))
    else:
        parts += [_applied(scene, words, patch_id) for patch_id in scene.visit.changes]
    if not (scene.cured or scene.unweighed):
        head = say("pick_more" if scene.visit.changes or scene.scenario.stacked else "pick")
        options = "".join(_option(scene, words, patch) for patch in scene.patches)
        parts.append(f"<h2>{head}</h2><ul class='options'>{options}</ul>")
        parts.append(_chosen(scene, words))
    parts.append(f'<p class="small">{_ways_out(scene, words)}</p>')
    return "".join(parts)


def _option(scene: Scene, words: Words, patch: Fix | Cheat) -> str:
    if patch.id in scene.visit.changes:
        return ""
    label = escape(scene.scenario.words.of(patch.id).label)
    if patch.id in scene.case.tried:
        label += f" <small>({escape(words.say('clinic', 'tried'))})</small>"
    chosen = str(scene.visit.chosen == patch.id).lower()
    return f"<li>{button(label, 'choose', patch.id, 'choice', aria_pressed=chosen)}</li>"


def _chosen(scene: Scene, words: Words) -> str:
    patch = next((p for p in scene.patches if p.id == scene.visit.chosen), None)
    if patch is None:
        return f'<p class="empty">{escape(words.say("clinic", "not_yet_tried"))}</p>'
    changes = scene.with_patch(patch.id)
    gone = [_label(scene, words, change) for change in scene.visit.changes if change not in changes]
    instead = "".join(
        f"<p class='dim'>{escape(words.say('clinic', 'instead', label=label))}</p>"
        for label in gone
    )
    after = scene.scenario.changed(changes)
    shown = listing.diff(scene.script, after, *listing.diff_words(words))
    apply = escape(words.say("clinic", "apply"))
    return instead + shown + f"<p>{button(apply, 'apply', patch.id, 'go', scene.occupied)}</p>"


def _label(scene: Scene, words: Words, change: str) -> str:
    typed = is_typed((change,))
    return words.say("clinic", "what_you_typed") if typed else scene.scenario.words.of(change).label


def _typed(scene: Scene, words: Words) -> str:
    """What was typed, how that ended, and the listed changes that come closest to it."""
    head = escape(words.say("clinic", "applied", label=words.say("clinic", "what_you_typed")))
    really = _showed(scene, words) if scene.reports and scene.busy is None else ""
    near = ""
    if really and not (scene.cured or scene.unweighed):
        listed = "".join(_option(scene, words, patch) for patch in nearest(scene))
        asked = escape(words.say("clinic", "nearest"))
        near = f"<p>{asked}</p><ul class='options'>{listed}</ul>"
    back = escape(words.say("clinic", "original"))
    taken = button(back, "original", kind="plain", off=scene.occupied)
    return f'<div class="applied"><p><b>{head}</b></p>{really}{near}<p>{taken}</p></div>'


def _applied(scene: Scene, words: Words, patch_id: str) -> str:
    """A change that is in the script, and, once it has run, what really happens with it."""
    said = scene.scenario.words.of(patch_id)
    head = escape(words.say("clinic", "applied", label=said.label))
    really = ""
    if scene.reports and scene.busy is None and patch_id == scene.visit.changes[-1]:
        really = _showed(scene, words)
        really += f"<p><b>{escape(words.say('clinic', 'really'))}:</b> {sentence(said.says)}</p>"
    back = escape(words.say("clinic", "take_back", label=said.label))
    off = scene.occupied
    return (
        f'<div class="applied"><p><b>{head}</b></p>{really}'
        f"<p>{button(back, 'back', patch_id, 'plain', off)}</p></div>"
    )


def _showed(scene: Scene, words: Words) -> str:
    """What the run of the changed script found, in its own words and numbers."""
    failing = scene.first_failing
    found = scene.faults(failing)[:1] if failing else []
    return "".join(
        f'<p class="found"><b>{escape(words.say("short", finding.stage))}:</b> '
        f"{sentence(words.finding(finding))}</p>"
        for finding in found
    )


def _ways_out(scene: Scene, words: Words) -> str:
    solution = ""
    if not scene.cured or (scene.scenario.decoy and not scene.left_alone):
        label = escape(words.say("clinic", "solution"))
        solution = button(label, "solution", kind="plain answer", off=scene.occupied)
    reset = escape(words.say("clinic", "reset"))
    sure = words.say("clinic", "reset_sure")
    return solution + button(reset, "reset", kind="plain", data_ask=sure)
