"""Collect the kinds of draw, and refuse a field that cannot be drawn from."""

import pytest

from core.draws.kinds import Field, FieldUnfit, Kind, kind_of


@pytest.mark.parametrize(
    ("entries", "places"), [((), 1), (("1", "1"), 1), (("1", "2"), 3), (("1", "2"), 0)]
)
def test_an_unfit_field_is_refused_with_its_numbers(entries: tuple[str, ...], places: int) -> None:
    with pytest.raises(FieldUnfit) as refusal:
        Field(entries, places)
    assert refusal.value.data == {"entries": len(entries), "places": places}


def test_every_entry_may_be_drawn() -> None:
    assert Field(("1", "2"), 2).places == 2


def test_the_games_contribute_their_kinds() -> None:
    kind = kind_of("lototrot.race")
    assert isinstance(kind, Kind) and kind.name == "lototrot.race"
    with pytest.raises(KeyError):
        kind_of("no.such.kind")
