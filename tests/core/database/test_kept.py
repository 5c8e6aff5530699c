"""Check that kept facts are separate for each database, limited in number and age, and never
errors.
"""

from unittest import mock

import pytest

from core.database import kept


@pytest.fixture(autouse=True)
def database(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    settings = {"NAME": "one"}
    monkeypatch.setattr(kept, "connections", mock.Mock(settings={"default": settings}))
    return settings


def test_a_fact_is_asked_for_once_in_each_database(database: dict[str, str]) -> None:
    ask = mock.Mock(side_effect=lambda pk: pk * 2, __name__="ask")
    facts = kept.kept(most=9)(ask)
    assert [facts(2), facts(2)] == [4, 4]
    database["NAME"] = "two"
    assert facts(2) == 4
    assert ask.call_count == 2


def test_an_error_is_not_kept() -> None:
    ask = mock.Mock(side_effect=[KeyError, 5], __name__="ask")
    facts = kept.kept(most=9)(ask)
    with pytest.raises(KeyError):
        facts(1)
    assert facts(1) == 5


def test_the_oldest_gives_way() -> None:
    facts: kept.Facts[str] = kept.Facts(most=2)
    for key in range(3):
        facts.put(key, fact=str(key))
    assert [facts.get(key) for key in range(3)] == [None, "1", "2"]


def test_a_dated_fact_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = mock.Mock(return_value=60.0)
    monkeypatch.setattr(kept.time, "monotonic", now_s)
    facts: kept.Facts[str] = kept.Facts(most=2, seconds=30)
    facts.put("key", fact="fact")
    now_s.return_value = 89.9
    assert facts.get("key") == "fact"
    now_s.return_value = 90.0
    assert facts.get("key") is None


def test_all_are_forgotten_in_one_place() -> None:
    facts: kept.Facts[str] = kept.Facts(most=2)
    facts.put("key", fact="fact")
    kept.forget_all()
    assert facts.get("key") is None
