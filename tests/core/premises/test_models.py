"""Constraints of the tables of premises, on rows written without the services."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import Error, IntegrityError, models, transaction

from core.database import clock
from core.premises import openings
from core.premises.models import (
    Authorisation,
    BurntRequest,
    Game,
    Operator,
    Premises,
    Suspension,
    Terminal,
)
from core.staff.actor import StaffActor
from tests.support import factories


def refused(constraint: str, model: type[models.Model], **fields: Any) -> None:
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        model._default_manager.create(**fields)


@pytest.mark.article("14.I.6")
def test_a_premises_has_one_authorisation_for_a_game_at_a_time(bar: Premises) -> None:
    now = clock.now()
    periods = [(now, None), (now - timedelta(hours=1), now - timedelta(hours=2))]
    named = [
        openings.NewAuthorisation(bar.code, game, since, "A", until)
        for game in Game
        for since, until in periods
    ]
    common: dict[str, Any] = {
        "premises": bar,
        "reference": "A",
        "proposal": factories.proposal(
            "premises.opening", content=openings.Opening(authorisations=named).content()
        ),
        "recorded_at": now,
    }
    Authorisation.objects.create(game=Game.LOTOTROT, valid_from=now, **common)
    Authorisation.objects.create(game=Game.PROMOTROT, valid_from=now, **common)
    refused("alone", Authorisation, game=Game.LOTOTROT, valid_from=now, **common)
    refused(
        "authorisation_in_order",
        Authorisation,
        game=Game.LOTOTROT,
        valid_from=now - timedelta(hours=1),
        valid_until=now - timedelta(hours=2),
        **common,
    )


def test_a_suspension_names_one_scope(by: StaffActor, bar: Premises, terminal: object) -> None:
    person = {"suspended_by_id": by.user_id, "suspended_in_id": by.session_id}
    common: dict[str, Any] = {"reason": "Storm", "since": clock.now()}
    refused(
        "suspension_one_scope",
        Suspension,
        premises=bar,
        terminal=Terminal.objects.get(),
        **common,
        **person,
    )


def test_a_number_is_one_operator_of_a_premises(by: StaffActor, operator: Operator) -> None:
    refused(
        "operator_of_premises",
        Operator,
        premises=operator.premises,
        number=operator.number,
        name="Joana",
        pin="x",
        created_at=clock.now(),
        created_by_id=by.user_id,
    )


def test_a_burnt_identifier_is_never_changed_nor_deleted(db: None) -> None:
    point = factories.point()
    burnt = BurntRequest.objects.create(
        uuid="00000000-0000-4000-8000-000000000001", terminal=point.terminal, burnt_at=clock.now()
    )
    for change in (
        lambda: BurntRequest.objects.filter(pk=burnt.pk).update(burnt_at=clock.now()),
        lambda: BurntRequest.objects.filter(pk=burnt.pk).delete(),
    ):
        with pytest.raises(Error), transaction.atomic():
            change()
    assert BurntRequest.objects.get() == burnt
