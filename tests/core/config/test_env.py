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
