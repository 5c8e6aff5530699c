"""Show horses by the colour of their saddle cloth, their number and their name."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from core.admin_support.columns import lines
from core.database.reading.batches import rows_by
from lototrot.models.programme import Runner

CLOTHS = 18
"""So many colours there are; number 19 has the first one again, with a ring."""


def cloth(number: int) -> SafeString:
    """Return the number of a horse on the colour of its saddle cloth."""
    again = " again" if number > CLOTHS else ""
    text = '<b class="cloth{}" data-cloth="{}">{}</b>'
    return format_html(text, again, (number - 1) % CLOTHS + 1, number)


def runners_of(race: int) -> dict[int, Runner]:
    """Return the runners of the programme of a race by number, ascending."""
    rows = sorted(rows_by(Runner, "race", race), key=lambda row: row.number)
    return {row.number: row for row in rows}


def runners_of_races(races: Sequence[int]) -> dict[int, dict[int, Runner]]:
    """Return the runners of each race by number, ascending, in one query."""
    by_race: dict[int, dict[int, Runner]] = {race: {} for race in races}
    for row in Runner.objects.filter(race__in=races).order_by("number"):
        by_race[row.race_id][row.number] = row
    return by_race


def horse(number: int, runners: Mapping[int, Runner]) -> SafeString:
    """Return a horse with its name and its driver, as far as the programme names them."""
    runner = runners.get(number)
    name, driver = (runner.name, runner.driver) if runner else ("", "")
    small = format_html("<small>{}</small>", driver) if driver else ""
    text = '<span class="house-horse">{} <span>{}{}</span></span>'
    return format_html(text, cloth(number), name, small)


def horses(numbers: Iterable[int], runners: Mapping[int, Runner]) -> SafeString:
    """Return horses below each other, in the order of their numbers."""
    return lines(horse(number, runners) for number in sorted(numbers))


def named(number: int, runners: Mapping[int, Runner]) -> str:
    """Return a horse as text: `7 Ouragan`."""
    runner = runners.get(number)
    return f"{number} {runner.name}" if runner else str(number)


def horse_table(headers: Sequence[Any], rows: Iterable[Sequence[Any]]) -> SafeString:
    """Return a table whose rows begin with a horse; the other cells are words."""
    head = format_html_join("", '<th scope="col">{}</th>', ((name,) for name in headers))
    body = format_html_join("", "{}", ((_row(row),) for row in rows))
    text = '<table class="house-document"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>'
    return format_html(text, head, body)


def _row(cells: Sequence[Any]) -> SafeString:
    words = format_html_join("", "<td>{}</td>", ((cell,) for cell in cells[1:]))
    return format_html('<tr><th scope="row">{}</th>{}</tr>', cells[0], words)
