"""Raise the alarms of Promotrot."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.alarms.kinds import Alarm, AlarmRow
from core.database.reading.once import once
from core.payoffice.powers import KEEP_STOCK
from core.receipts.document import present_language
from core.receipts.formats import format_cents
from promotrot import powers
from promotrot.models.emission import Emission
from promotrot.selectors.closing import lanes_apart
from promotrot.selectors.debts import Debt, Stage, debts
from promotrot.selectors.emissions import unclosed
from promotrot.selectors.facts import emission_facts
from promotrot.selectors.plays import stranded
from promotrot.selectors.things import Shortage, shortages_of


def _stranded() -> list[AlarmRow]:
    return [
        AlarmRow(
            subject=ticket,
            since=ticket.sold_at,
            words=gettext("%(premises)s can no longer finish it.") % {"premises": ticket.premises},
        )
        for ticket in stranded()
    ]


_WORDS = {
    Stage.EXTRA: _("No emission with extra prizes is planned: %(amount)s are owed."),
    Stage.ANNOUNCED: _("%(amount)s wait for their draw, which is past its announced time."),
    Stage.AGAIN: _("%(amount)s were drawn and nobody came: draw them again."),
    Stage.AUTHORITY: _("%(amount)s stand for the authority's decision."),
}


def _waiting(debt: Debt) -> bool:
    """Return whether a debt waits for a person: of a game on sale, only if it has no emission; of
    an announced draw, only if it should have been held.
    """
    if debt.stage is Stage.EXTRA:
        return not debt.has_emission
    if debt.stage is Stage.ANNOUNCED:
        return debt.is_overdue
    return debt.stage in _WORDS


def _debts() -> list[AlarmRow]:
    language = present_language()
    return [
        AlarmRow(
            subject=debt.game,
            since=debt.since,
            words=str(_WORDS[debt.stage]) % {"amount": format_cents(debt.cents, language)},
        )
        for debt in debts()
        if _waiting(debt)
    ]


@once
def _to_close() -> list[Emission]:
    return list(unclosed().order_by("pk"))


def _unclosed() -> list[AlarmRow]:
    return [
        AlarmRow(
            subject=emission,
            since=emission.opening.opened_at,
            words=_("It sells no more tickets, and what it owes to prizes is not stated."),
        )
        for emission in _to_close()
    ]


def _apart() -> list[AlarmRow]:
    return [
        AlarmRow(
            subject=emission,
            since=emission.opening.opened_at,
            words=gettext("Its lanes say %(taken)s tickets, and %(sold)s are sold.")
            % {"taken": apart[0], "sold": apart[1]},
        )
        for emission in _to_close()
        if (apart := lanes_apart(emission))
    ]


def _name(emission: Emission, short: Shortage) -> str:
    return emission_facts(emission.pk).texts(present_language()).prizes[short.thing]


def _short() -> list[AlarmRow]:
    on_sale = Emission.objects.filter(state__in=Emission.ON_SALE).select_related("opening")
    return [
        AlarmRow(
            subject=emission,
            since=emission.opening.opened_at,
            words=gettext("%(thing)s: %(in_stock)s in stock, %(needed)s needed.")
            % {"thing": _name(emission, short), "in_stock": short.in_stock, "needed": short.needed},
        )
        for emission in on_sale.order_by("pk")
        for short in shortages_of(emission)
    ]


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="promotrot_play_stranded",
        title=_("Plays that their premises can no longer finish"),
        power=powers.END_PLAY,
        rows=_stranded,
    ),
    Alarm(
        code="promotrot_debt",
        title=_("Games that owe prizes"),
        power=powers.END_GAME,
        rows=_debts,
    ),
    Alarm(
        code="promotrot_emission_unclosed",
        title=_("Emissions to be closed"),
        power=powers.CLOSE_EMISSION,
        rows=_unclosed,
    ),
    Alarm(
        code="promotrot_lanes_disagree",
        title=_("Emissions that cannot be closed: lanes and tickets disagree"),
        power=powers.CLOSE_EMISSION,
        rows=_apart,
    ),
    Alarm(
        code="promotrot_stock_short",
        title=_("Prizes in kind that are not in stock"),
        power=KEEP_STOCK,
        rows=_short,
    ),
)
