"""Sales by day, premises, terminal and game: one question to each game, folded four ways."""

import datetime
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from core.premises.models import Premises, Terminal
from core.reports import registry
from core.reports.registry import Column, Kind, Period, Picture, Report, Row


@dataclass(frozen=True, slots=True)
class Sold:
    """What a terminal sold of a game on a day. Annulled and voided belong to the day of the sale:
    what is left of a day's sales is known from that day's row. Cents."""

    game: str
    day: datetime.date
    premises_id: int
    terminal_id: int
    tickets: int
    sold_cents: int
    annulled_cents: int
    voided_cents: int


Source = Callable[[Period], Iterable[Sold]]
_sources: list[Source] = []

_FIGURES = (
    Column("tickets", _("tickets"), Kind.WHOLE, summed=True),
    Column("sold_cents", _("sales"), Kind.CENTS, summed=True),
    Column("annulled_cents", _("annulled"), Kind.CENTS, summed=True),
    Column("voided_cents", _("voided in breach"), Kind.CENTS, summed=True),
    Column("net_cents", _("net sales"), Kind.CENTS, summed=True),
)
_GAME = Column("game", _("game"))
_PREMISES = (Column("premises", _("premises")), Column("name", _("name")))


def register_source(source: Source) -> None:
    """Have a game's sales in the reports."""
    _sources.append(source)


def _fold(period: Period, key: Callable[[Sold], Row]) -> Iterator[tuple[Row, list[int]]]:
    folded: dict[Row, list[int]] = {}
    for source in _sources:
        for sold in source(period):
            sums = folded.setdefault(key(sold), [0] * 4)
            figures = (sold.tickets, sold.sold_cents, sold.annulled_cents, sold.voided_cents)
            for place, figure in enumerate(figures):
                sums[place] += figure
    for each, sums in sorted(folded.items()):
        yield each, [*sums, sums[1] - sums[2] - sums[3]]


def _by_day(period: Period) -> Iterator[Row]:
    for key, figures in _fold(period, lambda sold: (sold.day, sold.game)):
        yield (*key, *figures)


def _by_game(period: Period) -> Iterator[Row]:
    for key, figures in _fold(period, lambda sold: (sold.game,)):
        yield (*key, *figures)


def _by_premises(period: Period) -> Iterator[Row]:
    places = Premises.objects.in_bulk()
    for (premises, game), figures in _fold(period, lambda sold: (sold.premises_id, sold.game)):
        yield (places[premises].code, places[premises].name, game, *figures)


def _by_terminal(period: Period) -> Iterator[Row]:
    terminals = Terminal.objects.select_related("premises").in_bulk()
    for (terminal, game), figures in _fold(period, lambda sold: (sold.terminal_id, sold.game)):
        found = terminals[terminal]
        yield (found.premises.code, found.premises.name, found.code, game, *figures)


def register() -> None:
    about = _("Tickets and their price by the day they were sold; net of what was taken back.")
    for name, title, key, rows, picture in (
        (
            "sales-by-day",
            _("Sales by day"),
            (Column("day", _("day"), Kind.DAY), _GAME),
            _by_day,
            Picture("day", ["net_cents"], line=True),
        ),
        ("sales-by-game", _("Sales by game"), (_GAME,), _by_game, Picture("game", ["net_cents"])),
        (
            "sales-by-premises",
            _("Sales by premises"),
            (*_PREMISES, _GAME),
            _by_premises,
            Picture("premises", ["net_cents"]),
        ),
        (
            "sales-by-terminal",
            _("Sales by terminal"),
            (*_PREMISES, Column("terminal", _("terminal")), _GAME),
            _by_terminal,
            Picture("terminal", ["net_cents"]),
        ),
    ):
        registry.register(
            Report(
                name=name,
                title=title,
                about=about,
                columns=(*key, *_FIGURES),
                order=10,
                picture=picture,
            )
        )
        registry.contribute(name, rows)
