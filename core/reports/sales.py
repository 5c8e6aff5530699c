"""Report sales by day, premises, terminal and game, from one query to each game."""

from collections.abc import Callable, Iterator

from django.utils.translation import gettext_lazy as _

from core.premises.models import Premises, Terminal
from core.reports.tables import (
    Column,
    Kind,
    Period,
    Picture,
    Report,
    Row,
    Sold,
    Text,
    parts,
)

_FIGURES = (
    Column("tickets", _("tickets"), Kind.WHOLE, summed=True),
    Column("sold_cents", _("sales"), Kind.CENTS, summed=True),
    Column("annulled_cents", _("annulled"), Kind.CENTS, summed=True),
    Column("voided_cents", _("voided in breach"), Kind.CENTS, summed=True),
    Column("net_cents", _("net sales"), Kind.CENTS, summed=True),
)
_GAME = Column("game", _("game"))
_PREMISES = (Column("premises", _("premises")), Column("name", _("name")))


def _fold(period: Period, key: Callable[[Sold], Row]) -> Iterator[tuple[Row, list[int]]]:
    folded: dict[Row, list[int]] = {}
    for part in parts():
        for sold in part.sold(period):
            sums = folded.setdefault(key(sold), [0] * 4)
            figures = (sold.tickets, sold.sold_cents, sold.annulled_cents, sold.voided_cents)
            for index, figure in enumerate(figures):
                sums[index] += figure
    for key_values, sums in sorted(folded.items()):
        yield key_values, [*sums, sums[1] - sums[2] - sums[3]]


def by_day(period: Period) -> Iterator[Row]:
    for key, figures in _fold(period, lambda sold: (sold.day, sold.game)):
        yield (*key, *figures)


def by_game(period: Period) -> Iterator[Row]:
    for key, figures in _fold(period, lambda sold: (sold.game,)):
        yield (*key, *figures)


def by_premises(period: Period) -> Iterator[Row]:
    places = Premises.objects.in_bulk()
    for (premises, game), figures in _fold(period, lambda sold: (sold.premises_id, sold.game)):
        yield (places[premises].code, places[premises].name, game, *figures)


def by_terminal(period: Period) -> Iterator[Row]:
    terminals = Terminal.objects.select_related("premises").in_bulk()
    for (terminal, game), figures in _fold(period, lambda sold: (sold.terminal_id, sold.game)):
        row = terminals[terminal]
        yield (row.premises.code, row.premises.name, row.code, game, *figures)


_ABOUT = _("Tickets and their price by the day they were sold; net of what was taken back.")


def _report(name: str, title: Text, key: tuple[Column, ...], picture: Picture) -> Report:
    return Report(
        name=name,
        title=title,
        about=_ABOUT,
        columns=(*key, *_FIGURES),
        order=10,
        picture=picture,
    )


BY_DAY = _report(
    "sales-by-day",
    _("Sales by day"),
    (Column("day", _("day"), Kind.DAY), _GAME),
    Picture("day", ["net_cents"], line=True),
)
BY_GAME = _report("sales-by-game", _("Sales by game"), (_GAME,), Picture("game", ["net_cents"]))
BY_PREMISES = _report(
    "sales-by-premises",
    _("Sales by premises"),
    (*_PREMISES, _GAME),
    Picture("premises", ["net_cents"]),
)
BY_TERMINAL = _report(
    "sales-by-terminal",
    _("Sales by terminal"),
    (*_PREMISES, Column("terminal", _("terminal")), _GAME),
    Picture("terminal", ["net_cents"]),
)
