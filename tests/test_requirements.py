"""What is installed where: the package's own lists, and the files that pip reads."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def listed(name: str) -> list[str]:
    return (ROOT / name).read_text(encoding="utf-8").splitlines()


def test_a_space_can_install_all_of_the_app_from_the_one_file_that_its_build_sees() -> None:
    extras = PROJECT["optional-dependencies"]
    assert listed("requirements.txt") == [*extras["app"], *extras["keras"]]


def test_the_list_without_tensorflow_is_the_app_without_its_keras_shelf() -> None:
    assert listed("requirements-torch.txt") == PROJECT["optional-dependencies"]["app"]


def test_a_cluster_takes_what_the_app_takes_and_one_version_of_ray() -> None:
    whole, ray = listed("requirements-cluster.txt")
    assert whole == "-r requirements.txt"
    assert re.fullmatch(r"ray\[client\]==\d+\.\d+\.\d+", ray)


def test_the_package_alone_leaves_to_its_user_which_libraries_she_trains_with() -> None:
    assert [need for need in PROJECT["dependencies"] if "==" in need.partition(";")[0]] == []
    names = {need.partition(">")[0] for need in PROJECT["dependencies"]}
    assert names == {"numpy", "pydantic", "pygments", "landlockpy", "seccompy"}


def test_beside_pages_and_frameworks_the_package_imports_only_what_comes_with_it() -> None:
    comes = {"numpy", "pydantic", "pydantic_core", "pygments", "landlockpy", "seccompy"}
    of_the_user = {"transformers", "safetensors", "packaging"}
    package = ROOT / "debugger"
    own_rooms = {package / "web", package / "frameworks", package / "script" / "marks.py"}
    stray = {
        (path.relative_to(ROOT), name)
        for path in package.rglob("*.py")
        if not own_rooms & {path, *path.parents}
        for name in at_once(ast.parse(path.read_text(encoding="utf-8")))
        if name not in sys.stdlib_module_names | comes | of_the_user | {"debugger", "scenarios"}
    }
    assert not stray


def at_once(module: ast.Module) -> Iterator[str]:
    """The packages that are needed as soon as the module is."""
    for statement in module.body:
        if isinstance(statement, ast.Import):
            yield from (one.name.partition(".")[0] for one in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            yield statement.module.partition(".")[0]
