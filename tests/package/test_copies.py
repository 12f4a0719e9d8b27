"""Copies behind a proxy: each visitor stays with one, and what one has computed all of them know.

No container is started here. The proxy's own file is given to a real HAProxy where there is one,
with addresses of this machine in the place of Docker's names.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
import yaml

from debugger import settings
from tests.browser.app import ROOT, free_port, running_app

COPIES: dict[str, Any] = yaml.safe_load((ROOT / "compose.copies.yaml").read_text("utf-8"))
ALONE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
PROXY = (ROOT / "haproxy.cfg").read_text(encoding="utf-8")
TOKEN = "0123456789abcdef-token"
COOKIE = "clinic-copy"


@pytest.mark.parametrize("name", ["class", "clinic"])
def test_a_copy_is_what_stands_alone_but_for_its_door_and_its_folders(name: str) -> None:
    copy, alone = dict(COPIES["services"][name]), dict(ALONE["services"]["clinic"])
    assert "ports" not in copy
    for only in ("deploy", "environment", "volumes", "ports"):
        copy.pop(only, None)
        alone.pop(only, None)
    assert copy == alone


def test_all_share_the_store_and_each_has_a_data_folder_of_its_own() -> None:
    mounts = {name: COPIES["services"][name]["volumes"] for name in ("class", "clinic")}
    assert mounts == {"class": ["class:/data", "answers:/store"], "clinic": ["answers:/store"]}
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "install -d -o 1000 -g 1000 /data /store" in dockerfile  # else /store would be root's
    assert "VOLUME /data" in dockerfile
    assert COPIES["services"]["class"]["environment"]["CLINIC_STORE"].startswith("/store/")
    assert "deploy" not in COPIES["services"]["class"]


def test_its_environment_is_one_that_the_app_takes() -> None:
    given = COPIES["services"]["clinic"]["environment"]
    told = {name: re.sub(r"\$\{\w+:-(.*)\}", r"\1", value) for name, value in given.items()}
    assert settings.read(told).workers == 1
    assert told["FORWARDED_ALLOW_IPS"] == "*"


def test_the_proxy_alone_is_reached_from_outside_and_by_default_from_this_machine() -> None:
    proxy = COPIES["services"]["proxy"]
    assert proxy["ports"] == ["127.0.0.1:7860:7860"]
    (mounted,) = proxy["volumes"]
    assert (ROOT / mounted.partition(":")[0]).is_file()
    assert "bind :7860" in PROXY


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[Any]]]:
    """The proxy's address, and each copy's own with its process."""
    haproxy = shutil.which("haproxy")
    if haproxy is None:
        pytest.skip("there is no HAProxy on this machine")
    folder, port = tmp_path_factory.mktemp("copies"), free_port()
    given = {
        "CLINIC_STORE": str(folder / "answers.sqlite"),
        "CLINIC_HOST_TOKEN": TOKEN,
        "FORWARDED_ALLOW_IPS": "*",
    }
    with ExitStack() as running:
        apps = [running.enter_context(running_app(**given)) for _ in range(2)]  # pyright: ignore
        one, other = (address.removeprefix("http://") for address, _ in apps)
        here = re.sub(r"server-template .*", f"server clinic1 {other}", PROXY)
        here = here.replace("class:7860", one).replace(" resolvers docker init-addr none", "")
        file = folder / "haproxy.cfg"
        file.write_text(here.replace("bind :7860", f"bind 127.0.0.1:{port}"), encoding="utf-8")
        subprocess.run([haproxy, "-c", "-q", "-f", file], check=True)
        proxy = running.enter_context(subprocess.Popen([haproxy, "-db", "-f", file]))
        running.callback(proxy.terminate)
        address = f"http://127.0.0.1:{port}"
        _until(lambda: _status(f"{address}/health") == 200)
        yield address, apps


def _until(true: Any) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.2)


def _status(address: str) -> int:
    try:
        return httpx.get(address).status_code
    except httpx.HTTPError:
        return 0


def asked(visitor: httpx.Client) -> str:
    """A run asked for and then listened to, in two requests: the second must find the first."""
    told = {"data": ["two_labels", [], "setup", "en"]}
    event = visitor.post("/gradio_api/call/run", json=told).json()["event_id"]
    return visitor.get(f"/gradio_api/call/run/{event}", timeout=120).text


def counted(address: str, name: str) -> float:
    told = httpx.get(f"{address}/metrics", headers={"authorization": f"Bearer {TOKEN}"}).text
    return sum(
        float(line.rpartition(" ")[2]) for line in told.splitlines() if line.startswith(name)
    )


@pytest.mark.proof
def test_visitors_stay_where_they_are_and_share_what_was_computed(
    copies: tuple[str, list[Any]],
) -> None:
    address, apps = copies
    visitors: dict[str, httpx.Client] = {}
    with ExitStack() as leaving:
        while len(visitors) < len(apps):
            visitor = leaving.enter_context(httpx.Client(base_url=address))
            visitor.get("/health")
            visitors.setdefault(visitor.cookies[COOKIE], visitor)
        for visitor in visitors.values():
            answers = [visitor.get("/health") for _ in range(10)]
            assert not any("set-cookie" in answer.headers for answer in answers)
            assert '"outcome"' in asked(visitor)
        assert sum(counted(own, "clinic_runs_started_total{") for own, _ in apps) == 1
        assert sum(counted(own, 'clinic_store_reads_total{result="hit"}') for own, _ in apps) == 1


@pytest.mark.proof
def test_who_has_been_in_the_class_stays_where_the_class_is(
    copies: tuple[str, list[Any]],
) -> None:
    address, ((class_copy, _), (other, _)) = copies
    with httpx.Client(base_url=address) as visitor:
        while visitor.cookies.get(COOKIE) in (None, "class"):
            visitor.cookies.clear()
            visitor.get("/health")
        assert _is_with(visitor, other)
        assert visitor.get("/class").status_code == 200
        assert visitor.cookies[COOKIE] == "class"
        assert _is_with(visitor, class_copy)


@pytest.mark.proof
def test_the_visitors_of_a_copy_that_is_gone_go_to_another(copies: tuple[str, list[Any]]) -> None:
    address, apps = copies
    with httpx.Client(base_url=address) as visitor:
        visitor.get("/health")
        before = visitor.cookies[COOKIE]
        for own, server in apps:
            if _is_with(visitor, own):
                server.kill()
                server.wait(30)
                break
        _until(lambda: visitor.get("/health").status_code == 200)
        assert visitor.cookies[COOKIE] != before
        assert '"outcome"' in asked(visitor)


def _is_with(visitor: httpx.Client, own: str) -> bool:
    """Whether this copy is the one that has counted what the visitor asked."""
    before = counted(own, "clinic_answers_total{")
    asked(visitor)
    return counted(own, "clinic_answers_total{") > before


@pytest.mark.proof
def test_who_says_to_come_from_elsewhere_is_not_believed(copies: tuple[str, list[Any]]) -> None:
    with httpx.Client(base_url=copies[0]) as visitor:
        visitor.get("/health")
        tried = [
            visitor.post(
                "/host", data={"token": "wrong"}, headers={"x-forwarded-for": f"10.0.0.{number}"}
            ).status_code
            for number in range(7)
        ]
    assert tried == [401] * 5 + [429] * 2
