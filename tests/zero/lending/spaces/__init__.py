"""A small imitation of `spaces` 0.51 and of what stands behind it, for tests on any machine.

As the real one: it wants to be imported first; each call of a decorated generator runs in a daemon
fork of the process that imported it, with the GPU that was lent in CUDA_VISIBLE_DEVICES; what that
yields is streamed; a call that is closed early is heard at the next piece; quotas are those of the
token in the request that gradio keeps in the context, else of everybody together; no app is
launched without a decorated function. FAKE_ZERO_LEFT is how many seconds each visitor has. Not
imitated: waiting for a GPU, and that other processes of the Space cannot reach it.
"""

import multiprocessing
import os
import sys
import threading
from contextlib import suppress
from functools import wraps

if os.environ.get("SPACES_ZERO_GPU") and {"gradio", "torch"} & sys.modules.keys():
    raise RuntimeError("spaces was not imported first")

import gradio

FACTOR = 1.5
UUID = "GPU-lent-for-a-moment"
asked: list[tuple[str, float]] = []
"""Whose quota was asked, and for how many seconds."""
workers: list[int] = []
left: dict[str, float] = {}
_decorated: list[object] = []
_fork = multiprocessing.get_context("fork")
_launch = gradio.Blocks.launch


def _launched(*args, **kwargs):
    if not _decorated:
        os._exit(70)
    return _launch(*args, **kwargs)


gradio.Blocks.launch = _launched


def GPU(duration):
    def decorate(task):
        @wraps(task)
        def lent(*args):
            _schedule(duration)
            pieces, stop = _fork.SimpleQueue(), _fork.Event()
            worker = _fork.Process(target=_work, args=(task, args, pieces, stop), daemon=True)
            worker.start()
            workers.append(worker.pid or 0)
            threading.Thread(target=_tell_end, args=(worker, pieces), daemon=True).start()
            try:
                while (piece := pieces.get()) is not None:
                    if isinstance(piece, Exception):
                        raise gradio.Error(type(piece).__name__, title="ZeroGPU worker error")
                    if piece == "end":
                        return
                    yield piece
                raise gradio.Error("GPU task aborted", title="ZeroGPU worker error")
            finally:
                stop.set()
                worker.join()

        _decorated.append(lent)
        return lent

    return decorate


def _schedule(duration):
    from gradio.context import LocalContext

    request = LocalContext.request.get(None)
    token = request.headers.get("x-ip-token") if request is not None else None
    whose, wanted = token or "everybody", duration * FACTOR
    asked.append((whose, wanted))
    has = left.setdefault(whose, float(os.environ.get("FAKE_ZERO_LEFT", 120)))
    if has >= wanted:
        left[whose] = has - duration
        return
    message = "Space app has reached its GPU limit. Try re-running outside of examples"
    if token is not None:
        message = (
            "You have exceeded your free ZeroGPU quota "
            f"({wanted:.0f}s requested vs. {has:.0f}s left). Try again in 3:20:11. "
        )
    raise gradio.Error(message, title="ZeroGPU quota exceeded", print_exception=False)


def _work(task, args, pieces, stop):
    os.environ["CUDA_VISIBLE_DEVICES"] = UUID
    generator = task(*args)
    try:
        for piece in generator:
            if stop.is_set():
                generator.close()
                return
            pieces.put(piece)
        pieces.put("end")
    except Exception as error:  # noqa: BLE001
        pieces.put(error)


def _tell_end(worker, pieces):
    worker.join()
    with suppress(ValueError):  # it may have died while it was telling
        pieces._wlock.release()
    pieces.put(None)
