"""Settings come from CLINIC_ variables; a wrong one is named."""

import re
from pathlib import Path

import pytest

from debugger import settings

README = Path(__file__).parent.parent / "README.md"


def test_without_any_variable_the_defaults_hold() -> None:
    found = settings.read({})
    assert (found.assets, found.device, found.host, found.port) == (
        "bundled",
        "auto",
        "127.0.0.1",
        7860,
    )
    assert found.workers >= 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CLINIC_ASSETS", "cloud"),
        ("CLINIC_DEVICE", "tpu"),
        ("CLINIC_WORKERS", "0"),
        ("CLINIC_WORKERS", "many"),
        ("CLINIC_PORT", "70000"),
        ("CLINIC_TIME_LIMIT", "nan"),
        ("CLINIC_WROKERS", "2"),
        ("CLINIC_LOGIN", "class"),
        ("CLINIC_LOGIN", ":secret"),
        ("CLINIC_MCP", "yes"),
    ],
)
def test_a_wrong_setting_is_named_in_the_sentence(name: str, value: str) -> None:
    with pytest.raises(settings.SettingError, match=name):
        settings.read({name: value})


def test_tools_for_language_models_would_be_open_beside_a_login() -> None:
    assert settings.read({"CLINIC_LOGIN": "class:a:b"}).login == ("class", "a:b")
    assert settings.read({"CLINIC_MCP": "on"}).mcp
    with pytest.raises(settings.SettingError, match=r"CLINIC_MCP.*CLINIC_LOGIN"):
        settings.read({"CLINIC_LOGIN": "class:secret", "CLINIC_MCP": "on"})


@pytest.mark.parametrize("address", ["ray://10.0.0.5:10001", "ray://[::1]:1", "ray://head:10001"])
def test_a_cluster_is_named_by_the_address_of_its_head(address: str) -> None:
    assert settings.read({"CLINIC_CLUSTER": address}).cluster == address


@pytest.mark.parametrize("address", ["10.0.0.5:6379", "ray://head", "ray://me:s3cret@head:10001"])
def test_a_wrong_address_of_a_cluster_is_not_repeated_for_it_may_hold_a_secret(
    address: str,
) -> None:
    with pytest.raises(settings.SettingError, match="CLINIC_CLUSTER") as told:
        settings.read({"CLINIC_CLUSTER": address})
    assert address not in str(told.value)


def test_a_lent_gpu_is_none_of_a_clusters() -> None:
    with pytest.raises(settings.SettingError, match="CLINIC_CLUSTER"):
        settings.read({"CLINIC_CLUSTER": "ray://head:1", "SPACES_ZERO_GPU": "true"})


def test_an_empty_setting_is_a_setting_that_was_not_made() -> None:
    assert settings.read({"CLINIC_DEVICE": ""}) == settings.read({})


def test_a_space_says_where_to_listen_and_the_clinics_own_setting_goes_first() -> None:
    space = {"GRADIO_SERVER_NAME": "0.0.0.0"}
    assert settings.read(space).host == "0.0.0.0"
    assert settings.read({**space, "CLINIC_HOST": "127.0.0.2"}).host == "127.0.0.2"


def test_the_table_in_the_readme_names_every_setting_and_no_other() -> None:
    with pytest.raises(settings.SettingError) as refused:
        settings.read({"CLINIC_NO_SUCH_SETTING": "1"})
    known = set(re.findall(r"CLINIC_[A-Z_]+", str(refused.value))) - {"CLINIC_NO_SUCH_SETTING"}
    rows = re.findall(r"^\| `(CLINIC_[A-Z_]+)`", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(rows) == known
    assert len(rows) == len(set(rows))
