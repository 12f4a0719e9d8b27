"""What gradio holds of presses that have been answered."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from typing import Any

import gradio as gr
import pytest
from gradio_client import Client

from debugger.web.forgetting import forget
from tests.browser.app import free_port

PRESSES = 8
# Each of gradio's two loops (one hands presses out, one tells progress) holds the last that it saw.
LAST_SEEN = 2


def pressed(_: Any) -> Iterator[tuple[Any, str]]:
    yield gr.skip(), "going on"
    yield gr.skip(), "over"


@pytest.fixture
def blocks() -> Iterator[gr.Blocks]:
    with gr.Blocks(analytics_enabled=False) as made:
        code, said, go = gr.Code(), gr.HTML(), gr.Button()
        go.click(pressed, code, [code, said], api_name="press")
    made.queue()
    forget(made)
    made.launch(server_port=free_port(), quiet=True, prevent_thread_lock=True, ssr_mode=False)
    yield made
    made.close(verbose=False)


@pytest.mark.proof
def test_nothing_is_left_of_a_press_that_has_been_answered(blocks: gr.Blocks) -> None:
    assert blocks.local_url is not None
    client = Client(blocks.local_url, verbose=False)
    held = []
    for _ in range(PRESSES):
        assert client.predict("pass", api_name="/press")[1] == "over"
        session = blocks.app.state_holder.session_data[client.session_hash]
        held.append(len(session.blocks_config.blocks))
    queue: Any = blocks._queue
    until = time.monotonic() + 10
    while queue._asyncio_tasks and time.monotonic() < until:
        time.sleep(0.05)
    gc.collect()
    assert queue._asyncio_tasks == []
    assert dict(queue.event_analytics) == {}
    assert len(queue.event_ids_to_events) <= LAST_SEEN
    assert len({*held}) == 1


def test_a_tab_that_is_closed_before_it_has_heard_of_an_answer_is_told_of_none(
    blocks: gr.Blocks,
) -> None:
    gone = blocks._queue.event_ids_to_events["of a press that is over"]
    gone.run_time = 1.0
    gone.signal.set()
    assert gone.signal.is_set()
