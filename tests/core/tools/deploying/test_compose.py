"""The containers: made from the table, into a template that has all others."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from core.tools.deploying import compose
from core.tools.deploying.processes import MIGRATE, OPEN_FILES, PROCESSES, Process


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    """The containers by name; to read them from YAML takes a tenth of a second."""
    return compose.services()


@pytest.mark.parametrize("process", PROCESSES.values(), ids=lambda each: each.name)
def test_a_container_is_what_the_table_says(services: dict[str, Any], process: Process) -> None:
    container = services[process.name]
    assert container["command"] == process.command(address="0.0.0.0", signer=compose.SIGNER_SOCKET)  # noqa: S104
    assert container["environment"]["PROCESS"] == process.kind
    assert container.get("secrets", []) == process.keys
    ports = [f"127.0.0.1:{process.port}:{process.port}"] if process.port else []
    assert container.get("ports", []) == ports  # no port is open to other machines
    if process.port:
        assert container["ulimits"] == {"core": 0, "nofile": OPEN_FILES}


def test_containers_take_over_what_the_template_says_of_all(services: dict[str, Any]) -> None:
    for name in (MIGRATE.name, *PROCESSES):
        container = services[name]
        assert container["image"] == "lototrot" and container["env_file"] == "app.env"
        assert container["environment"]["PROFILE"] == "production"


def test_words_and_numbers_survive_the_way_through_yaml(services: dict[str, Any]) -> None:
    for name in PROCESSES:
        for word in services[name]["command"]:
            assert isinstance(word, str), (name, word)


def test_a_template_without_a_place_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "compose.yaml"
    empty.write_text("services: {}\n")
    monkeypatch.setattr(compose, "_TEMPLATE", empty)
    with pytest.raises(ValueError, match="no place"):
        compose.composed()


def test_the_file_says_that_it_is_written() -> None:
    text = compose.composed()
    assert "make deploy" in text.splitlines()[0]
    assert yaml.safe_load(text)["name"] == "lototrot"
