"""Read secrets from the environment, or keep random ones outside production."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from core.config import secret

KEYS = json.dumps({"current": "2", "keys": {"1": "11" * 32, "2": "22" * 32}})
CODES = json.dumps({"current": "1", "keys": {"1": ["11" * 32, "22" * 32]}})


@pytest.fixture
def unset(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.delenv("TEST_SECRET", raising=False)
    return monkeypatch


def test_a_secret_is_made_once_and_private(unset: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    first = secret.text("TEST_SECRET", folder=folder, production=False)
    assert secret.text("TEST_SECRET", folder=folder, production=False) == first
    assert len(first) >= 48
    assert (folder / "TEST_SECRET").stat().st_mode & 0o077 == 0
    assert [path.name for path in folder.iterdir()] == ["TEST_SECRET"]


def test_the_environment_comes_first(unset: pytest.MonkeyPatch, tmp_path: Path) -> None:
    unset.setenv("TEST_SECRET", "given")
    assert secret.text("TEST_SECRET", folder=tmp_path, production=False) == "given"
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ImproperlyConfigured, match="shorter than 32"):
        secret.text("TEST_SECRET", folder=tmp_path, production=True)


@pytest.mark.parametrize("read", [secret.text, secret.data_keys, secret.key_ring])
def test_production_makes_no_secret(
    unset: pytest.MonkeyPatch, tmp_path: Path, read: Callable[..., object]
) -> None:
    with pytest.raises(ImproperlyConfigured, match="production needs TEST_SECRET"):
        read("TEST_SECRET", folder=tmp_path, production=True)
    assert list(tmp_path.iterdir()) == []


def test_rings_of_keys_are_read(unset: pytest.MonkeyPatch, tmp_path: Path) -> None:
    unset.setenv("TEST_SECRET", KEYS)
    current, keys = secret.data_keys("TEST_SECRET", folder=tmp_path, production=True)
    assert (current, keys) == ("2", {"1": bytes([0x11]) * 32, "2": bytes([0x22]) * 32})
    unset.setenv("TEST_SECRET", CODES)
    assert secret.key_ring("TEST_SECRET", folder=tmp_path, production=True).current == "1"


def test_kept_rings_are_the_same_at_the_next_start(
    unset: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = secret.data_keys("TEST_SECRET", folder=tmp_path, production=False)
    assert secret.data_keys("TEST_SECRET", folder=tmp_path, production=False) == first


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
        secret.data_keys("TEST_SECRET", folder=tmp_path, production=True)
    assert "11" not in str(refusal.value)
