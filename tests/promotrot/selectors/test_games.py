"""Read games: the signs that are drawn, and the version that was approved before."""

from datetime import timedelta

import pytest

from core.database import clock
from promotrot.engine.game_json import read_game
from promotrot.selectors.games import approved_before, artwork_missing, drawn_signs
from tests.support import emitting


def test_signs_are_read_from_the_sheet_in_its_order() -> None:
    assert drawn_signs()[:3] == ("trophy", "sulky", "horseshoe")
    picture = emitting.small()["presentation"]
    strange = picture | {"signs": [*picture["signs"], "unicorn"]}
    assert artwork_missing(read_game(emitting.small(presentation=strange))) == ["unicorn"]
    assert artwork_missing(read_game(emitting.document("five-stalls"))) == []


@pytest.mark.django_db
def test_only_an_approved_version_is_the_one_before() -> None:
    emitting.recorded(emitting.small())
    assert approved_before("small") is None
    game = emitting.approved(emitting.small())
    texts = emitting.small()["texts"]
    texts["en"]["name"] = "Renamed"
    emitting.recorded(emitting.small(texts=texts))
    assert approved_before("small") == game.versions.get(version=1)
    assert approved_before("small", clock.now() - timedelta(days=1)) is None
    assert approved_before("other") is None
