"""The other reports that every game shares: what was won, what is not claimed, the organiser's."""

import datetime
from collections.abc import Iterator

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice import payables
from core.reports import registry
from core.reports.registry import Column, Kind, Period, Picture, Report, Row

ABOUT_TO_LAPSE_DAYS = 7

WON = Report(
    name="prizes-won", title=_("Prizes won, by tier"), order=20,
    about=_("By the day of the meeting or of the award; Lototrot's tiers are its categories."),
    columns=(
        Column("day", _("day"), Kind.DAY), Column("game", _("game")), Column("of", _("of")),
        Column("tier", _("tier")), Column("prizes", _("prizes"), Kind.WHOLE, summed=True),
        Column("each_cents", _("each"), Kind.CENTS),
        Column("total_cents", _("in all"), Kind.CENTS, summed=True),
    ),
    picture=Picture("tier", ["total_cents"]),
)  # fmt: skip
OUTS = Report(
    name="outs", title=_("Unclaimed, by age"), order=30, dated=False,
    about=_("What is owed now and nobody has claimed, by the last day to do so."),
    columns=(
        Column("game", _("game")), Column("last_day", _("last day"), Kind.DAY),
        Column("days_left", _("days left"), Kind.WHOLE), Column("standing", _("standing")),
        Column("documents", _("documents"), Kind.WHOLE, summed=True),
        Column("cents", _("amount"), Kind.CENTS, summed=True),
    ),
    picture=Picture("last_day", ["cents"]),
)  # fmt: skip
SHARE = Report(
    name="organiser-share", title=_("Organiser's share and specific tax"), order=50,
    about=_("Takings and how they were divided, by the day they were settled or closed for."),
    columns=(
        Column("day", _("day"), Kind.DAY), Column("game", _("game")), Column("of", _("of")),
        Column("takings_cents", _("takings"), Kind.CENTS, summed=True),
        Column("prizes_cents", _("to prizes"), Kind.CENTS, summed=True),
        Column("share_cents", _("organiser's share"), Kind.CENTS, summed=True),
        Column("commission_cents", _("for commissions"), Kind.CENTS, summed=True),
        Column("management_cents", _("for management"), Kind.CENTS, summed=True),
        Column("tax_cents", _("specific tax"), Kind.CENTS, summed=True),
        Column("remainder_cents", _("remainder"), Kind.CENTS, summed=True),
    ),
    picture=Picture("day", ["share_cents", "tax_cents"], line=True),
)  # fmt: skip


def _outs(period: Period) -> Iterator[Row]:
    today = natural_day(clock.now())
    for source in payables.sources():
        for out in source.outs():
            left = (out.last_claim_day - today).days if out.last_claim_day else None
            yield (
                source.game, out.last_claim_day, left, _standing(out.last_claim_day, today),
                out.documents, out.cents,
            )  # fmt: skip


def _standing(last: datetime.date | None, today: datetime.date) -> str:
    if last is None:
        return gettext("does not lapse")
    left = (last - today).days
    if left < 0:
        return gettext("lapses tonight")
    return gettext("about to lapse") if left < ABOUT_TO_LAPSE_DAYS else ""


def register() -> None:
    for report in (WON, OUTS, SHARE):
        registry.register(report)
    registry.contribute(OUTS.name, _outs)
