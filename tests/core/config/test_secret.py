"""Read secrets from the environment, or keep random ones outside production."""

import json
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from core.config.secret import Secrets
from core.kernel.holding import HELD

KEYS = json.dumps({"current": "2", "keys": {"1": "11" * 32, "2": "22" * 32}})
CODES = json.dumps({"current": "1", "keys": {"1": ["11" * 32, "22" * 32]}})


@pytest.fixture
def unset(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    names = {"TEST_SECRET", "TEST_KEYS"}
    monkeypatch.setitem(HELD, "console", HELD["console"] | names)
    for name in names:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_a_secret_is_made_once_and_private(unset: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    first = Secrets("console", folder, production=False).text("TEST_SECRET")
    assert Secrets("console", folder, production=False).text("TEST_SECRET") == first
    assert len(first) >= 48
    assert (folder / "TEST_SECRET").stat().st_mode & 0o077 == 0
    assert [path.name for path in folder.iterdir()] == ["TEST_SECRET"]


def test_the_environment_comes_first(unset: pytest.MonkeyPatch, tmp_path: Path) -> None:
    unset.setenv("TEST_SECRET", "given")
    assert Secrets("console", tmp_path, production=False).text("TEST_SECRET") == "given"
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ImproperlyConfigured, match="shorter than 32"):
        Secrets("console", tmp_path, production=True).text("TEST_SECRET")


@pytest.mark.parametrize("read", ["text", "data_keys", "code_keys"])
def test_production_makes_no_secret(unset: pytest.MonkeyPatch, tmp_path: Path, read: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="production needs TEST_SECRET"):
        getattr(Secrets("console", tmp_path, production=True), read)("TEST_SECRET")
    assert list(tmp_path.iterdir()) == []


def test_rings_of_keys_are_read(unset: pytest.MonkeyPatch, tmp_path: Path) -> None:
    unset.setenv("TEST_SECRET", KEYS)
    current, keys = Secrets("console", tmp_path, production=True).data_keys("TEST_SECRET")
    assert (current, keys) == ("2", {"1": bytes([0x11]) * 32, "2": bytes([0x22]) * 32})
    unset.setenv("TEST_SECRET", CODES)
    assert Secrets("console", tmp_path, production=True).code_keys("TEST_SECRET").current == "1"


def test_kept_rings_are_the_same_at_the_next_start(
    unset: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = Secrets("console", tmp_path, production=False).data_keys("TEST_KEYS")
    assert Secrets("console", tmp_path, production=False).data_keys("TEST_KEYS") == first


@pytest.mark.parametrize(
    "document",
    [
        "no JSON",
        "[]",
        "{}",
        '{"current": "1", "keys": {}}',
        '{"current": "1", "keys": {"1": "xyz"}}',
        '{"current": "1", "keys": {"1": "11"}}',
        json.dumps({"current": "one", "keys": {"one": "11" * 32}}),
    ],
)
def test_a_malformed_ring_is_refused_without_its_content(
    unset: pytest.MonkeyPatch, tmp_path: Path, document: str
) -> None:
    unset.setenv("TEST_SECRET", document)
    with pytest.raises(ImproperlyConfigured, match="TEST_SECRET") as refusal:
        Secrets("console", tmp_path, production=True).data_keys("TEST_SECRET")
    assert "11" not in str(refusal.value)
