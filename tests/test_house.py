"""The doors of the house that stay shut."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WEB = "debugger/web"
FRAMEWORKS = ("torch", "tensorflow", "tf_keras", "keras", "transformers")
SHUT = [
    ("debugger/stages", ("debugger.workers", "debugger.web")),
    ("debugger/pipelines", ("debugger.workers", "debugger.web")),
    ("debugger/workers", ("debugger.web",)),
    ("debugger/asking", ("debugger.web", *FRAMEWORKS)),
    ("debugger/homework", ("debugger.web", "debugger.workers", *FRAMEWORKS)),
    ("debugger/room", ("debugger.web", "debugger.workers", *FRAMEWORKS)),
    (WEB, FRAMEWORKS),
    ("app.py", FRAMEWORKS),
]


def imports(file: Path, types: bool = True) -> Iterator[str]:
    """Every module that a file names in an import, wherever in the file that stands.

    Without `types`, what is imported for type checkers only is left out.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    left_out = set() if types else {id(node) for node in ast.walk(tree) if _for_types(node)}
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop(0)
        if id(node) in left_out:
            continue
        nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def circle(root: Path, *places: str) -> list[str]:
    """Modules under these folders that import each other in a circle, wherever they do it."""
    files = {
        ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file
        for place in places
        for file in (root / place).rglob("*.py")
    }

    def module_of(name: str) -> str:
        while name and name not in files:
            name = name.rpartition(".")[0]
        return name

    reached = {
        module: {module_of(name) for name in imports(file, types=False)} - {module, ""}
        for module, file in files.items()
    }
    try:
        TopologicalSorter(reached).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def open_doors(root: Path, place: str, shut: tuple[str, ...]) -> list[str]:
    start = root / place
    files = [start] if start.is_file() else sorted(start.rglob("*.py"))
    return [
        f"{file.relative_to(root)} imports {name}"
        for file in files
        for name in imports(file)
        if any(name == door or name.startswith(f"{door}.") for door in shut)
    ]


@pytest.mark.parametrize(("place", "shut"), SHUT)
def test_a_door_stays_shut(place: str, shut: tuple[str, ...]) -> None:
    assert (ROOT / place).exists()
    assert open_doors(ROOT, place, shut) == []


def test_only_the_pages_and_the_app_import_gradio() -> None:
    importers = [
        line for line in open_doors(ROOT, "debugger", ("gradio",)) if not line.startswith(f"{WEB}/")
    ]
    assert importers == []


def test_an_open_door_is_seen_wherever_the_import_stands(tmp_path: Path) -> None:
    (tmp_path / "stages").mkdir()
    (tmp_path / "stages" / "bad.py").write_text(
        "def late():\n    from debugger import workers\n    import torch.nn\n"
    )
    assert open_doors(tmp_path, "stages", ("debugger.workers", "torch")) == [
        "stages/bad.py imports debugger.workers",
        "stages/bad.py imports torch.nn",
    ]


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(ROOT, "debugger", "scenarios", "tools") == []


@pytest.mark.parametrize(
    ("back", "found"),
    [
        ("def late():\n    from house.one import door", ["house.one", "house.two", "house.one"]),
        ("if TYPE_CHECKING:\n    from house.one import door", []),
    ],
)
def test_a_circle_is_seen_wherever_its_imports_stand(
    tmp_path: Path, back: str, found: list[str]
) -> None:
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "__init__.py").write_text("from house import one")
    (tmp_path / "house" / "one.py").write_text("from house import two")
    (tmp_path / "house" / "two.py").write_text(back)
    assert set(circle(tmp_path, "house")) == set(found)


def test_the_web_process_holds_no_framework() -> None:
    code = (
        "import sys; from debugger import catalogue;"
        "import debugger.web.server; from debugger.web.pages import build;"
        "from debugger.settings import read; from debugger.workers.sharing import Shared;"
        "from debugger.web.clinic import Clinic; from debugger.web.routes import Ahead;"
        "from debugger.web.mine.bench import Bench;"
        "about = catalogue.every(), Shared(None), read({}); clinic = Clinic(*about);"
        "build(*about, clinic, Bench(*about[1:], dict, clinic.bounds));"
        f"print([name for name in {FRAMEWORKS!r} if name in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert answer.stdout.strip() == "[]", answer.stderr


def test_the_app_file_imports_nothing_but_the_standard_library() -> None:
    top = ast.parse((ROOT / "app.py").read_text()).body
    names = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
    assert names <= sys.stdlib_module_names
    assert not any(isinstance(node, ast.ImportFrom) for node in top)
