"""What is installed where: the whole list, and the one without TensorFlow."""

from pathlib import Path

ROOT = Path(__file__).parent.parent


def listed(name: str) -> list[str]:
    return (ROOT / name).read_text(encoding="utf-8").split("\n")


def test_the_list_without_tensorflow_is_the_whole_one_but_for_two_pins() -> None:
    whole, torch_only = listed("requirements.txt"), listed("requirements-torch.txt")
    more = [line for line in whole if line not in torch_only]
    assert [line.partition("==")[0] for line in more] == ["tensorflow", "tf-keras"]
    assert [line for line in whole if line not in more] == torch_only


def test_a_space_can_install_from_the_one_file_that_its_build_sees() -> None:
    assert [line for line in listed("requirements.txt") if line.startswith("-")] == []
