import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from core.config import env


def test_readers_return_typed_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_FLAG", " Yes ")
    monkeypatch.setenv("A_NUMBER", "12")
    monkeypatch.setenv("A_LIST", "one, two,,")
    monkeypatch.setenv("A_TIME", "0.5")
    assert env.boolean("A_FLAG") is True
    assert env.integer("A_NUMBER", least=1, most=12) == 12
    assert env.words("A_LIST") == ["one", "two"]
    assert env.seconds("A_TIME") == 0.5
    assert env.string("A_NUMBER") == "12"


def test_a_blank_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLANK", "  ")
    assert env.string("BLANK", "x") == "x"
    assert env.string("BLANK", "") == ""
    assert env.boolean("BLANK", False) is False
    assert env.integer("BLANK", 0) == 0
    assert env.seconds("BLANK", 1) == 1
    assert env.words("BLANK", ()) == []


@pytest.mark.parametrize("reader", [env.string, env.boolean, env.integer, env.words, env.seconds])
def test_a_missing_variable_without_default_is_named(reader: object) -> None:
    assert callable(reader)
    with pytest.raises(ImproperlyConfigured, match="NOT_THERE"):
        reader("NOT_THERE")


def test_wrong_values_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRONG", "perhaps")
    for reader in (env.boolean, env.integer, env.seconds):
        with pytest.raises(ImproperlyConfigured, match="WRONG"):
            reader("WRONG")
    for value in ("nan", "inf", "0", "-1"):
        monkeypatch.setenv("WRONG", value)
        with pytest.raises(ImproperlyConfigured, match="WRONG"):
            env.seconds("WRONG")
    monkeypatch.setenv("WRONG", "7")
    with pytest.raises(ImproperlyConfigured, match="WRONG must be at most 6"):
        env.integer("WRONG", most=6)
    with pytest.raises(ImproperlyConfigured, match="WRONG must be at least 8"):
        env.integer("WRONG", least=8)


@contextmanager
def files_of_at_most(size_bytes: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_folder_without_room_is_refused_before_something_is_mapped_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that wrote to such a file was ended by a signal, over and over, without a word."""
    assert env.folder_with_room("A_FOLDER") == ""
    monkeypatch.setenv("A_FOLDER", str(tmp_path))
    assert env.folder_with_room("A_FOLDER") == str(tmp_path)
    with files_of_at_most(4096), pytest.raises(ImproperlyConfigured, match=r"A_FOLDER .*make room"):
        env.folder_with_room("A_FOLDER")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("A_FOLDER", str(tmp_path / "nowhere"))
    with pytest.raises(ImproperlyConfigured, match=r"A_FOLDER .*No such file"):
        env.folder_with_room("A_FOLDER")
