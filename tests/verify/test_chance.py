"""Check verify/chance.py against the method of the draws, and its rules of place and time."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.draws import method
from tests.support.verifying.forging import Refused
from tests.support.verifying.load import verifier

chance = verifier("chance")
SECRET, FIELD = b"\x01" * 32, b"\x02" * 32


@given(
    secret=st.binary(min_size=32, max_size=32),
    entries=st.integers(1, 12),
    places=st.integers(1, 12),
    entropy=st.text(st.characters(codec="utf-8"), max_size=20),
)
def test_an_order_is_that_of_the_method(
    secret: bytes, entries: int, places: int, entropy: str
) -> None:
    field = [str(number) for number in range(entries)]
    places = min(places, entries)
    order = method.order(secret, FIELD, entropy, field, places)
    assert chance.drawn(secret, FIELD, entropy, field, places) == order


def test_a_commitment_is_that_of_the_method() -> None:
    for source, pieces in (("phrase", None), ("dice", 12)):
        means = {"source": source, "pieces": pieces}
        document = {"draw": "d", "field": {"sha256": FIELD.hex()}, "means": means}
        bound = method.commitment(SECRET, "d", FIELD, method.Means(method.Source(source), pieces))
        assert chance.binding(document, SECRET.hex()) == bound.hex()
        assert chance.binding(document | {"draw": "e"}, SECRET.hex()) != bound.hex()


def test_numbers_below_a_bound_are_equally_likely() -> None:
    last = 2**32 - 1
    assert chance.below(3, iter([last, 5])) == 2, "4,294,967,295 would make nought likelier"
    assert chance.below(4, iter([last])) == 3
    numbers = chance.words(20_000, b"test")
    counts = Counter(chance.below(5, numbers) for _ in range(10_000))
    assert set(counts) == set(range(5)) and max(counts.values()) < 2_150
    with pytest.raises(StopIteration):
        chance.below(3, iter([last]))


@pytest.mark.parametrize(
    ("source", "text", "read"),
    [
        ("dice", "1234561234", "1 2 3 4 5 6 1 2 3 4"),
        ("dice", "1,2;3-4 5 6 1 2 3 4", "1 2 3 4 5 6 1 2 3 4"),
        ("balls", "07 1 2 3 4 5", "7 1 2 3 4 5"),
        ("phrase", "  plou a bots  i barrals ", "plou a bots i barrals"),
    ],
)
def test_entropy_has_one_form(source: str, text: str, read: str) -> None:
    assert chance.canonical_entropy(source, text, "here") == read
    assert method.entropy_canonical(method.Source(source), text) == read


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("dice", "123456123"),
        ("dice", "1234567123"),
        ("dice", "١٢٣٤٥٦١٢٣٤"),
        ("balls", "1 2 3 4 5"),
        ("balls", "1 2 3 4 5 12345"),
        ("balls", "1 2 3 4 5 x"),
        ("phrase", "plou  molt"),
    ],
)
def test_entropy_of_another_kind_or_too_little_is_refused(source: str, text: str) -> None:
    with pytest.raises(Refused, match=r"^here: (not|too little)"):
        chance.canonical_entropy(source, text, "here")


AT = "2027-04-10T12:{}:00.000000Z"
OFFICE = {
    "announced_at": AT.format("00"),
    "planned_at": AT.format("10"),
    "place": "Palma",
    "office": "SEU",
    "elsewhere": None,
}
MINUTES: dict[str, Any] = {
    "announcements": [OFFICE],
    "committed_at": AT.format("10"),
    "drawn_at": AT.format("11"),
    "place": "Palma",
    "attendances": ["inspector"],
}
REASON = {"inspector": "inspector", "stated_at": AT.format("05")}
ELSEWHERE = OFFICE | {"office": None, "elsewhere": REASON}
ANEW = OFFICE | {"announced_at": AT.format("12"), "planned_at": AT.format("30")}
LATER = REASON | {"stated_at": AT.format("20")}
AT_ANEW = MINUTES | {"committed_at": AT.format("30"), "drawn_at": AT.format("31")}


def announced(**changes: Any) -> dict[str, Any]:
    return MINUTES | {"announcements": [OFFICE | changes]}


def test_a_draw_at_its_place_and_time_is_accepted() -> None:
    chance.check_announced(MINUTES)
    chance.check_announced(MINUTES | {"announcements": [ELSEWHERE]})
    by_hand = MINUTES | {"committed_at": None}
    chance.check_announced(by_hand)
    chance.check_announced(by_hand | {"announcements": [OFFICE, ANEW]})
    chance.check_announced(AT_ANEW | {"announcements": [OFFICE, ANEW | {"elsewhere": LATER}]})
    assert chance.later("2027-12-31T23:59:59.000000Z", 1) == "2028-01-01T00:00:00.000000Z"


@pytest.mark.parametrize(
    ("minutes", "why"),
    [
        (MINUTES | {"announcements": []}, "missing"),
        (
            MINUTES | {"announcements": [OFFICE, OFFICE | {"announced_at": AT.format("01")}][::-1]},
            "not in their order",
        ),
        (MINUTES | {"committed_at": AT.format("09")}, "before its announced time"),
        (announced(announced_at=AT.format("01")), "not ten minutes ahead"),
        (AT_ANEW | {"announcements": [OFFICE, ANEW]}, "in time, or with a reason"),
        (
            MINUTES
            | {"committed_at": None, "announcements": [OFFICE, ANEW | {"elsewhere": LATER}]},
            "a later one counts",
        ),
        (MINUTES | {"announcements": [OFFICE, ANEW]}, "a later one counts"),
        (MINUTES | {"place": "Maó"}, r"place: should be Palma"),
        (announced(office=None), "or with a reason"),
        (announced(elsewhere=REASON), "or with a reason"),
        (MINUTES | {"announcements": [ELSEWHERE], "attendances": []}, "did not attend"),
        (announced(office=None, elsewhere=REASON | {"stated_at": AT.format("11")}), "came late"),
    ],
)
def test_another_place_or_time_is_refused(minutes: dict[str, Any], why: str) -> None:
    with pytest.raises(Refused, match=why):
        chance.check_announced(minutes)


def test_a_draw_that_was_called_off_before_is_named() -> None:
    """Called off again and again until the field suits, it must be seen."""
    of = {"kind": "lototrot.race", "subject": "race:1"}
    others = {"a": of, "b": of | {"subject": "race:2"}, "c": of}
    fallen = {
        (chance.CALLED_OFF, draw): {
            "kind": chance.CALLED_OFF,
            "document": {"draw": draw, **subject},
        }
        for draw, subject in others.items()
    }
    log = verifier("public_log").Log.__new__(verifier("public_log").Log)
    log.entries = fallen
    minutes: dict[str, Any] = {"draw": "d", "commitment": None, "abandoned_before": [], **of}
    chance.check_others(log, minutes | {"called_off_before": ["a", "c"]}, AT, AT)
    for named in ([], ["a"], ["c", "a"], ["a", "b", "c"]):
        with pytest.raises(Refused, match=r"minutes\.called_off_before"):
            chance.check_others(log, minutes | {"called_off_before": named}, AT, AT)
