"""Proposals about premises in words: what is opened where, what a resolution does, what is owed."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.utils.translation import override

from core.admin_support import proposal_texts
from core.database import clock
from core.kernel.days import natural_day
from core.premises import openings, resolutions
from core.premises.admin.words import and_more
from core.premises.models import Authorisation, Game, Premises, Resolution
from core.staff.models import Proposal
from core.staff.powers import Role
from core.statements import guarantee, services
from tests.core.premises.conftest import BAR
from tests.support import factories

pytestmark = pytest.mark.django_db


def _texts_of(proposal: Proposal, language: str = "en") -> tuple[str, str]:
    """Return a proposal as a line, and all that the second person reads of it."""
    with override(language):
        text = proposal_texts.title_text(proposal)
        return text, proposal_texts.content_html(proposal)


def _opened(**lists: Any) -> Proposal:
    return openings.opening_propose(by=factories.staff(Role.ORGANISER), **lists)


def test_an_opening_says_what_is_opened_where() -> None:
    on_record = factories.premises()
    proposal = _opened(
        premises=[openings.NewPremises(**BAR | {"code": "P1"})],
        authorisations=[openings.NewAuthorisation("P1", Game.LOTOTROT, clock.now(), "CAIB 1")],
        terminals=[
            openings.NewTerminal("P1", "T-1"),
            openings.NewTerminal(on_record.code, "T-2"),
        ],
    )
    text, content = _texts_of(proposal)
    assert f"P1 {BAR['name']} and 1 more" in text
    assert "1 premises, 1 authorisation, T-1, T-2" in text
    assert proposal.subject not in text
    for words in (str(on_record), "Establishment", "Lototrot", "CAIB 1", BAR["address"]):
        assert words in content, words
    assert "establishment<" not in content and "+00:00" not in content
    assert "1 autorització" in _texts_of(proposal, "ca")[0]


def test_a_terminal_of_premises_on_record_is_called_by_both() -> None:
    """It was `opening:T-VISITOR:` and eight digits, and nobody knew of which premises."""
    place = factories.premises()
    proposal = _opened(terminals=[openings.NewTerminal(place.code, "T-VISITOR")])
    assert _texts_of(proposal)[0].endswith(f"{place} · T-VISITOR")


def test_terminals_that_enrol_anew_are_named_and_the_others_counted() -> None:
    codes = sorted(factories.point().terminal.code for _ in range(5))
    proposal = openings.enrolment_propose(
        by=factories.staff(Role.ORGANISER), terminals=codes, reason="New machines"
    )
    assert _texts_of(proposal)[0].endswith(f"{', '.join(codes[:3])} and 2 more")


def test_a_resolution_says_its_effect_and_on_whom() -> None:
    point = factories.point()
    held = Authorisation.objects.filter(premises=point.premises).first()
    assert held is not None
    about: tuple[tuple[Resolution.Effect, dict[str, Any], str], ...] = (
        (Resolution.Effect.ENDED, {"authorisation": held.pk}, str(point.premises)),
        (Resolution.Effect.REVOKED, {"terminal": point.terminal.code}, point.terminal.code),
        (Resolution.Effect.SUSPENDED, {"premises": point.premises.code}, str(point.premises)),
    )
    for effect, subject, words in about:
        proposal = resolutions.resolution_propose(
            by=factories.staff(Role.ORGANISER),
            effect=effect.value,
            effective_at=clock.now() - timedelta(minutes=1),
            reference="BOIB 9",
            **subject,
        )
        text, content = _texts_of(proposal)
        with override("en"):
            assert str(effect.label) in text and words in text, text
        assert "BOIB 9" in content and effect.value not in content


def _rate(place: Premises | None) -> Proposal:
    return services.commission_rate_propose(
        by=factories.staff(Role.ORGANISER),
        game="promotrot",
        premises=place.code if place else None,
        percent="6.5",
        in_force_from=natural_day(clock.now()),
        reference="Contract 3",
    )


def test_a_commission_rate_says_its_game_for_whom_and_how_much() -> None:
    place = factories.premises()
    assert _texts_of(_rate(None), "ca")[0].endswith("Promotrot · tots els locals · 6,5 %")
    text, content = _texts_of(_rate(place), "es")
    assert text.endswith(f"Promotrot · {place} · 6,5 %")
    assert "Contract 3" in content and "6,5 %" in content


def test_a_guarantee_limit_says_whose_and_from_when() -> None:
    place = factories.premises()
    since = clock.now() + timedelta(days=1)
    proposal = guarantee.guarantee_limit_propose(
        by=factories.staff(Role.ORGANISER),
        premises=place.code,
        limit_cents=500_000,
        reference="Bank 1",
        in_force_from=since,
    )
    text, content = _texts_of(proposal)
    assert text.endswith(f"{place} · €5,000.00")
    assert since.isoformat() not in content and f"{since:%Y}" in content


def test_a_list_of_names_says_how_many_it_leaves_out() -> None:
    with override("en"):
        assert and_more(["A"]) == "A"
        assert and_more(["A", "B", "C"], 2) == "A, B and 1 more"
        assert and_more([]) == ""


def test_days_of_a_content_are_days_of_the_reader() -> None:
    with override("ca"):
        content = proposal_texts.content_html(_rate(None))
    today: date = natural_day(clock.now())
    assert f"{today:%d/%m/%Y}" in content and today.isoformat() not in content
