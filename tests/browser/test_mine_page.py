"""One's own script in a real browser: given, run, changed, kept; and attacks that stay text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from debugger.outcome import Finding
from debugger.words import Words
from tests.browser.app import LONG, LOOKS, Visit, running_app, serious
from tests.frameworks.keras.test_keras_loops import FAULTS
from tests.frameworks.pytorch.test_loops import FORGOTTEN

pytestmark = [pytest.mark.slow, pytest.mark.proof]

WORDS = Words()
TYPO = """import pandas as pd
from transformers import AutoTokenizer, Trainer

rows = pd.read_csv("data/rows.csv")
print(rows.columns[0], len(rows))
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
trainer = Trainr(None)
trainer.train()
"""
BAD = "<img src=x onerror=alert(1)>"
CLOSING = "</td></table></pre><script>alert(2)</script>"
HOSTILE = f"""import sys
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, BertTokenizer
from transformers import Trainer, TrainingArguments

BAD = {BAD!r}
CLOSING = {CLOSING!r}
SVG = "<svg onload=alert(3)><b id=pwned>x</b></svg>"
BRACES = "{{{{alert(4)}}}} ${{alert(5)}} `x`"
TURNED = "\\u202eabc\\u2066"
print(BAD, CLOSING, SVG, BRACES, TURNED, sys.argv)
print("x" * 30000)
print("\\x1b]0;title\\x07\\x1b[31mred [link](javascript:alert(6))")
words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<svg/onload=alert(7)>", BAD, SVG]
open("vocab.txt", "w").write("\\n".join(words))
tokenizer = BertTokenizer("vocab.txt", do_lower_case=False)

class Rows(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, n):
        ids = torch.tensor([2, 5, 6, 7, 3])
        return {{"input_ids": ids, "labels": torch.tensor(n % 2), BAD: CLOSING}}

config = BertConfig(vocab_size=8, hidden_size=8, num_hidden_layers=1,
                    num_attention_heads=1, intermediate_size=8,
                    id2label={{0: CLOSING, 1: SVG}}, label2id={{CLOSING: 0, SVG: 1}})
args = TrainingArguments("out", report_to="none", max_steps=2, learning_rate=1e-3)
trainer = Trainer(BertForSequenceClassification(config), args, train_dataset=Rows(),
                  processing_class=tokenizer)
"""
RAISES = f"{HOSTILE}\nraise ValueError(BAD + CLOSING + SVG + BRACES + TURNED)\n"
TRAINS = f"{HOSTILE}\ntrainer.train()\n"
INJECTED = """() => [
  document.querySelectorAll('#pwned, svg[onload], [onerror], [onload], #clinic img').length,
  [...document.querySelectorAll('a')].filter((a) => a.href.startsWith('javascript:')).length,
  [...document.querySelectorAll('#clinic script')].length,
]"""


def given(page: Any, *files: tuple[str, str], folder: Path) -> None:
    for name, text in files:
        (folder / name).write_text(text, encoding="utf-8")
    page.wait_for_selector("#bar[data-listens], [data-listens] .bar")
    page.set_input_files("#left [data-files]", [folder / name for name, _ in files])
    page.wait_for_function("() => !document.querySelector('#foot .act').disabled")


def ran(page: Any) -> None:
    turn = "Number(document.querySelector('[data-turn]').dataset.turn)"
    before = page.evaluate(turn)
    page.click("#foot .act.go")
    page.wait_for_function(f"{turn} > {before} + 1")
    page.wait_for_selector("#foot .act.go", timeout=LONG)
    page.wait_for_timeout(500)


def test_a_script_and_its_data_are_given_run_changed_and_kept(visit: Visit, tmp_path: Path) -> None:
    page = visit("/")
    page.click("text=" + WORDS.say("mine", "door"))
    page.wait_for_selector("#editor .cm-content")
    given(page, ("mine.py", TYPO), ("rows.csv", "text,label\na,0\nb,1\n"), folder=tmp_path)
    page.wait_for_selector(".marks:has-text('Trainr')")
    for kind in ("moved", "checkpoint"):
        page.wait_for_selector(f"[data-act=swap][data-with$={kind}]")
    page.click("[data-act=swap][data-with=all]")
    page.wait_for_selector("#editor :text('CHECKPOINT')")
    ran(page)
    assert "Trainr" in page.inner_text("#right .verdict.fail")
    page.click("#right [data-line]")
    page.wait_for_selector("#left .row.fault:focus")
    page.click("#right [data-with=console]")
    assert "text 2" in page.inner_text("#right .terminal")
    page.click("#left [data-with=diff]")
    page.wait_for_selector("#left .diff .add")
    page.reload()
    page.wait_for_selector("#editor :text('CHECKPOINT')")
    assert "rows.csv" in page.inner_text("#left .editing")
    page.click("#left [data-with=edit]")
    page.click("[data-act=original]")
    page.wait_for_selector("#editor :text('bert-base-uncased')")
    ran(page)
    assert "data/rows.csv" in page.inner_text("#right .verdict.fail")
    assert page.complaints == []


LOOPS: dict[str, tuple[tuple[str, Any, str, str], dict[str, Any]]] = {
    "pytorch": (FORGOTTEN["zero_grad"], {"norm": 0.0}),
    "keras": (FAULTS["read once"], {"name": "warm", "value": 0.0}),
}


@pytest.mark.parametrize("of", LOOPS)
def test_a_loop_by_hand_is_walked_to_what_it_forgets(visit: Visit, tmp_path: Path, of: str) -> None:
    (script, _, code, text), numbers = LOOPS[of]
    page = visit("/mine")
    given(page, ("mine.py", script), folder=tmp_path)
    assert WORDS.say("mine", "reads_training") not in page.inner_text("#left")
    ran(page)
    page.click("#rail [data-with=step]")
    told = page.locator("#right .verdict.fail").all_inner_texts()
    said = WORDS.finding(Finding(code, "fault", "step", None, numbers))
    line = script[: script.index(text)].strip("\n").count("\n") + 1
    wanted = said.replace("`", "").partition("(")[0], f"line {line}"
    assert any(all(part in one for part in wanted) for one in told)
    assert page.complaints == []


def test_a_run_is_stopped(visit: Visit, tmp_path: Path) -> None:
    page = visit("/mine")
    given(page, ("mine.py", "import time, torch\ntime.sleep(100)\n"), folder=tmp_path)
    page.click("#foot .act.go")
    page.wait_for_selector("#foot .stop")
    page.keyboard.press("Escape")
    page.wait_for_selector("#foot .act.go")
    said = WORDS.say("mine", "stopped")
    page.wait_for_selector(f"#foot .status:has-text('{said}')")


@pytest.mark.parametrize("script", [RAISES, TRAINS], ids=["raises", "trains"])
def test_what_a_run_says_stays_text_everywhere(visit: Visit, tmp_path: Path, script: str) -> None:
    page = visit("/mine")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    given(
        page,
        ("mine.py", script),
        ("<b id=pwned>&{{alert(8)}}.csv", "<script>alert(9)</script>\n"),
        folder=tmp_path,
    )
    page.fill("#arguments :is(input, textarea)", f"'{BAD}' '{CLOSING}'")
    page.wait_for_timeout(500)
    ran(page)
    for stage in ("setup", "data", "batch", "forward", "step", "evaluate", "overfit", "train"):
        page.click(f"#rail [data-with={stage}]")
        page.wait_for_selector(f"#rail [data-with={stage}][aria-current=step]")
        assert page.evaluate(INJECTED) == [0, 0, 0], stage
    for tab in ("script", "diff", "files", "edit", "console", "issue", "evidence"):
        page.click(f"[role=tab][data-with={tab}]")
        page.wait_for_selector(f"[role=tab][data-with={tab}][aria-selected=true]")
        assert page.evaluate(INJECTED) == [0, 0, 0], tab
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert asked == []
    assert page.complaints == []


def test_a_hostile_notebook_and_memory_stay_text(visit: Visit, tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": BAD},
        {
            "cell_type": "code",
            "source": f"x = {BAD!r}  # {CLOSING}\n!{BAD}\nmodel.fit({CLOSING!r})",
            "outputs": [{"data": {"text/html": "<script>alert(1)</script>"}}],
        },
    ]
    page = visit("/mine")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    given(page, ("a <b>.ipynb", json.dumps({"cells": cells})), folder=tmp_path)
    page.wait_for_selector("#editor :text('onerror')")
    kept = {"text": f"{BAD}\nfit()", "given": CLOSING, "files": [{"name": CLOSING}]}
    page.evaluate("kept => localStorage.setItem('training-clinic-mine', kept)", json.dumps(kept))
    page.reload()
    page.wait_for_selector("#left b:has-text('</td>')")
    assert page.evaluate(INJECTED) == [0, 0, 0]
    assert asked == []
    assert page.complaints == []


@pytest.mark.parametrize(("size", "scheme"), LOOKS)
def test_the_page_on_every_screen(
    visit: Visit, tmp_path: Path, size: tuple[int, int], scheme: str
) -> None:
    page = visit("/mine", size, scheme)
    given(page, ("mine.py", TYPO), ("rows.csv", "text,label\na,0\n"), folder=tmp_path)
    page.wait_for_selector(".elsewhere")
    page.wait_for_timeout(300)
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    for part in ("#editor", "#foot .act", ".adding"):
        box = page.locator(part).first.bounding_box()
        assert box["width"] > 80, part
        assert box["height"] >= (44 if size[0] < 500 else 30), part
    assert page.locator("#editor").bounding_box()["height"] >= 150
    assert page.complaints == []


def test_where_typing_is_off_the_page_gives_the_command(browser: Any) -> None:
    with running_app(CLINIC_TYPED="off") as (address, _):
        page = browser.new_page()
        page.goto(f"{address}/mine")
        page.wait_for_selector("#command")
        assert page.inner_text("#command") == "python -m debugger diagnose SCRIPT.py"
        assert WORDS.say("finding", "typing_switched_off") in page.inner_text("#left")
        assert page.is_disabled("#foot .act")
        page.close()
