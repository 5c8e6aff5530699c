"""Check which keys each kind of process holds, and what one says of a key that it lacks."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from core.config.holding import Absent, held
from core.config.secret import Secrets
from core.kernel.holding import HELD

RING = '{"current": "1", "keys": {"1": "' + "ab" * 32 + '"}}'


@pytest.fixture(autouse=True)
def nothing_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in HELD["console"]:
        for each in (name, f"{name}_FILE"):
            monkeypatch.delenv(each, raising=False)


def of(process: str, folder: Path, *, production: bool = True) -> Secrets:
    return Secrets(process, folder, production)


def test_boards_and_beat_hold_no_key_and_one_process_alone_signs() -> None:
    assert HELD["live"] == HELD["beat"] == HELD["migrate"] == frozenset()
    assert HELD["signer"] == {"SIGNING_KEYS"}
    others = set(HELD) - {"console", "signer"}
    assert not any("SIGNING_KEYS" in HELD[process] for process in others)
    assert {process for process in others if "SEED_KEYS" in HELD[process]} == {"play", "worker"}
    with pytest.raises(ImproperlyConfigured, match="PROCESS must be one of"):
        held("webb")


def test_a_key_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="production needs SEED_KEYS"):
        of("worker", tmp_path).data_keys("SEED_KEYS")
    with pytest.raises(ImproperlyConfigured, match="kind worker needs SIGNER"):
        of("worker", tmp_path).signing_keys("SIGNING_KEYS", "")
    assert list(tmp_path.iterdir()) == []


def test_a_key_that_it_must_not_have_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEED_KEYS", RING)
    monkeypatch.setenv("SIGNING_KEYS", RING)
    for process in ("live", "beat", "web", "signer"):
        with pytest.raises(ImproperlyConfigured, match="must not have SEED_KEYS"):
            of(process, tmp_path).data_keys("SEED_KEYS")
    with pytest.raises(ImproperlyConfigured, match="must not have SIGNING_KEYS"):
        of("web", tmp_path).signing_keys("SIGNING_KEYS", "/run/signer")
    assert isinstance(of("live", tmp_path, production=False).data_keys("SEED_KEYS"), Absent)


def test_an_absent_key_says_so_when_it_is_used(tmp_path: Path) -> None:
    absent = of("live", tmp_path).code_keys("CODE_KEYS")
    uses = (
        lambda: absent.digest(None),
        lambda: absent[1],
        lambda: tuple(absent),
    )
    for use in uses:
        with pytest.raises(ImproperlyConfigured, match="kind live has no CODE_KEYS"):
            use()
    assert repr(absent) == "<no CODE_KEYS>"


def test_a_secret_comes_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "data_keys"
    file.write_text(RING + "\n")
    monkeypatch.setenv("DATA_KEYS_FILE", str(file))
    assert of("web", tmp_path).data_keys("DATA_KEYS") == ("1", {"1": b"\xab" * 32})
    monkeypatch.setenv("DATA_KEYS", RING)
    with pytest.raises(ImproperlyConfigured, match="are both set"):
        of("web", tmp_path).data_keys("DATA_KEYS")
    monkeypatch.delenv("DATA_KEYS")
    monkeypatch.setenv("DATA_KEYS_FILE", str(tmp_path / "none"))
    with pytest.raises(ImproperlyConfigured, match="DATA_KEYS_FILE cannot be read"):
        of("web", tmp_path).data_keys("DATA_KEYS")
