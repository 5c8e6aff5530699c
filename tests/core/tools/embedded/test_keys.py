"""Give each process the files of its own keys, and no other key."""

from pathlib import Path

import pytest

from core.kernel.holding import HELD, PUBLISHING
from core.tools.embedded.keys import environment_of

SIGNER = Path("/run/signer/socket")


def test_a_key_is_made_once_and_private(tmp_path: Path) -> None:
    environment = {"PROFILE": "development"}
    first = environment_of("play", environment, tmp_path, SIGNER)
    contents = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert environment_of("play", environment, tmp_path, SIGNER) == first
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == contents
    assert set(contents) == HELD["play"]
    assert all(file.stat().st_mode & 0o077 == 0 for file in tmp_path.iterdir())


@pytest.mark.parametrize("kind", sorted(HELD))
def test_a_process_is_given_its_own_keys_alone(kind: str, tmp_path: Path) -> None:
    environment = dict.fromkeys(HELD["console"], "given")
    environment |= {"SIGNER": "elsewhere", "OTHER": "stays"}
    own = environment_of(kind, environment, tmp_path, SIGNER)
    assert {name for name in own if name in HELD["console"]} == HELD[kind]
    assert (own["PROCESS"], own["OTHER"]) == (kind, "stays")
    assert own["SIGNER"] == (str(SIGNER) if kind in PUBLISHING else "")
    files = environment_of(kind, {"PROFILE": "development"}, tmp_path, SIGNER)
    named = {name: value for name, value in files.items() if name.endswith("_FILE")}
    assert named == {f"{name}_FILE": str(tmp_path / name) for name in HELD[kind]}


def test_production_is_given_what_was_given(tmp_path: Path) -> None:
    own = environment_of("worker", {"SIGNING_KEYS_FILE": "x"}, tmp_path, SIGNER)
    assert own == {"PROCESS": "worker", "SIGNER": str(SIGNER)}
    assert list(tmp_path.iterdir()) == []
