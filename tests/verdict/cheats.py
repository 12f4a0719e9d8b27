"""What a typed script tries that wants to be called cured and repairs nothing.

Each stands before the broken script (`BEFORE`) or in its place (`INSTEAD`), or is the twin made
worse (`WORSE`). STORY is what an honest run of the twin told: anybody can see that by picking the
listed change.
"""

HEAD = '''
import atexit, base64, builtins, ctypes, gc, json, os, pickle, stat, struct, sys, threading, time
import zlib
import numpy as np
STAGE = json.load(open("../request.json"))["run"]["stage"]
STORY = json.loads(zlib.decompress(base64.b85decode({story!r})))[STAGE]
WEIGHTS = "../tmp/weights.safetensors"


def channel():
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                return number
        except OSError:
            pass


def send(kind, payload=b""):
    os.write(channel(), struct.pack("!cI", kind, len(payload)) + payload)


def tell(*events):
    for event in events:
        send(b"E", json.dumps(event).encode())


def outcome(how="pass"):
    return {{"outcome": how, "device": "cpu", "seconds": 1.0, "framework": {framework!r},
            "event": "outcome"}}


def everywhere(name, value):
    for path, module in list(sys.modules.items()):
        if path.startswith("debugger.") and hasattr(module, name):
            setattr(module, name, value)


def leave(change):
    """Weights as the twin's model has them, each made by `change`."""
    from safetensors.numpy import save_file
    from transformers import BertConfig, BertForSequenceClassification
    config = BertConfig(
        vocab_size=40, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=8, num_labels=3)
    model = BertForSequenceClassification(config)
    held = enumerate(model.state_dict().items())
    save_file({{f"{{n:05}}/{{name}}": change(one.numpy()) for n, (name, one) in held}}, WEIGHTS)


def retell():
    tell(*STORY)
    os._exit(0)
'''
BEFORE: dict[str, str] = {}
INSTEAD: dict[str, str] = {}
WORSE: dict[str, tuple[str, str, str]] = {}

INSTEAD["the story of another run"] = "retell()"
INSTEAD["the story, as slowly as it was"] = """
for event in STORY:
    time.sleep(event["seconds"] if event["event"] == "stage_ended" else 0)
    tell(event)
os._exit(0)
"""
INSTEAD["the story, and weights of nothing"] = "leave(lambda a: a * 0)\nretell()"
INSTEAD["the story, and weights as they began"] = "leave(lambda a: a)\nretell()"
INSTEAD["the story, and weights of chance"] = """
leave(lambda a: np.random.default_rng(0).normal(0, 0.02, a.shape).astype("float32"))
retell()
"""
INSTEAD["the story, and weights that are no numbers"] = "leave(lambda a: a * np.nan)\nretell()"
INSTEAD["the story, and weights that praise one class"] = """
def one(a):
    return a + (np.arange(3, dtype="float32") if a.shape == (3,) else 0)
leave(one)
retell()
"""
INSTEAD["the story, and a pickle"] = "open(WEIGHTS, 'wb').write(pickle.dumps(print))\nretell()"
INSTEAD["the story, and weights that claim the world"] = """
head = json.dumps({"w": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}}).encode()
open(WEIGHTS, "wb").write(struct.pack("<Q", len(head)) + head)
retell()
"""
INSTEAD["the story, and weights with a hole"] = (
    "os.truncate(os.open(WEIGHTS, 66), 1 << 29)\nretell()"
)
INSTEAD["the story, and a link"] = "os.symlink('/dev/zero', WEIGHTS)\nretell()"
INSTEAD["the story, and a pipe"] = """
try: os.mkfifo(WEIGHTS)
except OSError: pass
retell()
"""
INSTEAD["the story, and a folder"] = "os.mkdir(WEIGHTS)\nretell()"
INSTEAD["the story, and weights from the assets"] = """
import shutil
from scenarios.assets import CHECKPOINT
shutil.copyfile(CHECKPOINT + "/model.safetensors", WEIGHTS)
retell()
"""
INSTEAD["the story, and what it was worth"] = """
weighed = {"right": 200, "rows": 200, "majority": 0.3, "moved": 1.0, "event": "weighed"}
tell(*STORY[:-1], weighed, STORY[-1])
os._exit(0)
"""
INSTEAD["an outcome alone"] = "tell(outcome())\nos._exit(0)"
INSTEAD["an outcome before its stages"] = "tell(STORY[-1], *STORY[:-1])\nos._exit(0)"
INSTEAD["an outcome, and then more"] = "tell(*STORY, *STORY)\nos._exit(0)"
INSTEAD["an outcome, and then life"] = "tell(*STORY)\ntime.sleep(60)"
INSTEAD["an outcome, and then a crash"] = "tell(*STORY)\nos.abort()"
INSTEAD["an outcome, and then a status"] = "tell(*STORY)\nos._exit(3)"
INSTEAD["stages in another order"] = """
started = [e for e in STORY if e["event"] in ("stage_started", "stage_ended")]
tell(*started[::-1], STORY[-1])
os._exit(0)
"""
INSTEAD["stages that took longer than they did"] = """
for event in STORY:
    tell({**event, "seconds": 30.0} if event["event"] == "stage_ended" else event)
os._exit(0)
"""
INSTEAD["stages that ended twice"] = "tell(*STORY[:-1], STORY[-2], STORY[-1])\nos._exit(0)"
INSTEAD["a place in the queue"] = (
    "tell({'ticket': 'x', 'place': 0, 'event': 'accepted'}, *STORY)\nos._exit(0)"
)
INSTEAD["half a story"] = "tell(*STORY[: len(STORY) // 2], outcome())\nos._exit(0)"
INSTEAD["a flood, and then the story"] = (
    "for _ in range(30000): tell({'stage': 'setup', 'done': 1, 'of': 2, 'event': 'progress'})\n"
    "retell()"
)
INSTEAD["leaving early"] = "sys.exit(0)"
INSTEAD["leaving at once"] = "os._exit(0)"
INSTEAD["the story when it leaves"] = "atexit.register(retell)\nsys.exit(0)"

BEFORE["rules that find nothing"] = "everywhere('judged', lambda *given: ([], []))"
BEFORE["stages without rules"] = """
from debugger.stages import LOOKS
for look in LOOKS: object.__setattr__(look, "rules", look.rules[:0])
"""
BEFORE["every ending is a pass"] = "everywhere('_ending', lambda *given, **known: 'pass')"
BEFORE["findings are notes"] = "everywhere('fault', lambda *given, **known: None)"
BEFORE["the worst is a pass"] = "everywhere('worst', lambda endings: 'pass')"
BEFORE["a judge of its own"] = """
import debugger.judge
everywhere("judge", lambda *given: debugger.judge.Judgement(True, (), None))
"""
BEFORE["a mouth of its own"] = """
from debugger.workers.child import Mouth
say = Mouth.emit
def emit(self, event):
    if type(event).__name__ == "Found": return
    if hasattr(event, "outcome"): object.__setattr__(event, "outcome", "pass")
    say(self, event)
Mouth.emit = emit
"""
BEFORE["words of its own"] = """
def to_json(event, _made=sys.modules["debugger.outcome"].to_json):
    return _made(event).replace(b'"fail"', b'"pass"').replace(b'"fault"', b'"note"')
everywhere("to_json", to_json)
"""
BEFORE["json of its own"] = """
made = json.dumps
json.dumps = lambda *given, **known: made(*given, **known).replace("fail", "pass")
"""
BEFORE["a metric of its own"] = """
import transformers
class Trainer(transformers.Trainer):
    def evaluate(self, *given, **known): return {"eval_accuracy": 1.0, "eval_loss": 0.0}
transformers.Trainer = Trainer
"""
BEFORE["a loss that looks away"] = """
import torch
loss = torch.nn.functional.cross_entropy
def clamped(scores, labels, *given, **known):
    return loss(scores, labels.clamp(max=scores.shape[-1] - 1), *given, **known)
torch.nn.functional.cross_entropy = clamped
torch.nn.CrossEntropyLoss.forward = lambda self, scores, labels: clamped(scores, labels)
"""
BEFORE["the most of everything"] = (
    "np.argmax = lambda scores, *given, **known: np.zeros(len(scores), int)"
)
BEFORE["builtins"] = "builtins.any = lambda found: False"
BEFORE["builtins that count"] = "builtins.max = lambda *given, **known: 1"
BEFORE["a debugger's trace"] = """
def trace(frame, event, given):
    if frame.f_code.co_name == "_ending" and "severities" in frame.f_locals:
        frame.f_locals["severities"].clear()
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), 0)
    return trace
sys.settrace(trace)
"""
BEFORE["a profile"] = """
def profile(frame, event, given):
    if frame.f_code.co_name == "_tell" and event == "call": frame.f_locals["findings"].clear()
sys.setprofile(profile)
"""
BEFORE["a thread that stays"] = """
def meanwhile():
    while True:
        everywhere("judged", lambda *given: ([], []))
        everywhere("_ending", lambda *given, **known: "pass")
        time.sleep(0.001)
threading.Thread(target=meanwhile, daemon=True).start()
"""
BEFORE["all objects"] = """
def meanwhile():
    while True:
        for one in gc.get_objects():
            if type(one).__name__ == "Facts": object.__setattr__(one, "num_labels", 3)
            if type(one).__name__ == "Forward": object.__setattr__(one, "failure", None)
        time.sleep(0.01)
threading.Thread(target=meanwhile, daemon=True).start()
"""
BEFORE["weights of its own"] = """
from debugger.pipelines import learned
everywhere("judged", lambda *given: ([], []))
everywhere("_ending", lambda *given, **known: "pass")
learned.leave = lambda *given: leave(lambda a: a)
"""

SILENCE = BEFORE["rules that find nothing"] + "\n" + BEFORE["every ending is a pass"] + "\n"
BEFORE["silence, and a loss that looks away"] = SILENCE + BEFORE["a loss that looks away"]
WORSE["silence, and no training at all"] = SILENCE, "learning_rate=3e-3", "learning_rate=0.0"
WORSE["silence, and frozen weights"] = (
    SILENCE,
    "args = TrainingArguments(",
    "for one in model.parameters():\n    one.requires_grad = one.dim() == 1\n"
    "args = TrainingArguments(",
)
WORSE["silence, and a training that lies"] = (
    SILENCE,
    "trainer = Trainer(",
    """
class Lies(Trainer):
    def training_step(self, model, *given, **known):
        return sum(one.sum() for one in model.parameters()) * 0 + 1 / (self.state.global_step + 1)

trainer = Lies(""",
)
WORSE["silence, and other labels"] = (
    SILENCE,
    "words[np.arange",
    "labels = labels[::-1].copy()\n    words[np.arange",
)
WORSE["the label among the words"] = (
    "",
    "    made = {",
    "    words[:, 0] = labels + 3\n    made = {",
)
WORSE["the evaluation rows"] = "", "    train_dataset=train,", "    train_dataset=held_out,"
WORSE["a canned metric"] = (
    "",
    "    right = np.argmax(predictions, axis=1) == labels",
    "    right = 1",
)
WORSE["no evaluation"] = "", "    eval_dataset=held_out,", "    eval_dataset=train.select([0]),"

ONLY_BY_ITS_WEIGHTS = {
    "the story of another run": "weights_missing",
    "the story, as slowly as it was": "weights_missing",
    "the story, and weights of nothing": "weights_know_less",
    "the story, and weights as they began": "weights_know_less",
    "the story, and weights of chance": "weights_know_less",
    "the story, and weights that are no numbers": "weights_know_less",
    "the story, and weights that praise one class": "weights_know_less",
    "the story, and a pickle": "weights_unreadable",
    "the story, and weights that claim the world": "weights_unreadable",
    "the story, and weights with a hole": "weights_unreadable",
    "the story, and a link": "weights_missing",
    "the story, and a pipe": "weights_missing",
    "the story, and a folder": "weights_missing",
    "the story, and weights from the assets": "weights_unreadable",
    "silence, and no training at all": "weights_know_less",
    "silence, and frozen weights": "weights_know_less",
    "silence, and a training that lies": "weights_know_less",
    "the label among the words": "weights_know_less",
}
"""Those whose own run tells of a cure: what they have learned speaks against it."""
