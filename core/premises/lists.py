"""Read premises that are to be opened together from a CSV file, one a line.

The first line names the columns, with semicolons or commas between. Several games, or terminals,
have a space between. A line whose premises are on record gives only their code, and what is new.
"""

import csv
import datetime
import io

from core.kernel.days import day_bounds
from core.kernel.errors import Invalid
from core.kernel.texts import invisible_at
from core.premises.models import Game, Premises
from core.premises.openings import NewAuthorisation, NewPremises, NewTerminal, Opening

PLACE = ("code", "name", "kind", "address", "municipality")
COLUMNS = (*PLACE, "games", "valid_from", "valid_until", "reference", "terminals")
MAX_BYTES = 1_000_000
_LONGEST = {"code": 20, "name": 120, "address": 200, "municipality": 80, "reference": 120}


class ListMalformed(Invalid):
    code = "premises_list_malformed"
    message = "The file cannot be read: it is CSV in UTF-8, with the columns and values said here."


def opening_read(data: bytes) -> Opening:
    """Return the premises that a file lists. Raises ListMalformed, with the number of the line."""
    if len(data) > MAX_BYTES:
        raise ListMalformed(line=0)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ListMalformed(line=0) from error
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    premises: list[NewPremises] = []
    authorisations: list[NewAuthorisation] = []
    terminals: list[NewTerminal] = []
    try:
        if set(rows.fieldnames or ()) != set(COLUMNS):
            raise ListMalformed(line=1)
        for row in rows:
            values = _values(row)
            code = values["code"]
            if values["name"]:
                place = {name: values[name] for name in PLACE}
                place["kind"] = Premises.Kind(values["kind"]).value
                premises.append(NewPremises(**place))
            games, named = _each(values, "games"), _each(values, "terminals")
            authorisations += [_authorisation(code, game, values) for game in games]
            terminals += [NewTerminal(code, each) for each in named]
    except (csv.Error, ValueError, AttributeError, TypeError) as error:
        raise ListMalformed(line=rows.line_num) from error
    return Opening(premises, authorisations, terminals)


def _values(row: dict[str, str]) -> dict[str, str]:
    """Return the values of a line, trimmed. Raises ValueError for one that is too long or has what
    cannot be seen, and for a line of too many; AttributeError for one of too few.
    """
    values = {name: row[name].strip() for name in COLUMNS}
    is_long = any(len(values[name]) > most for name, most in _LONGEST.items())
    is_plain = all(invisible_at(values[name]) is None for name in _LONGEST)
    if is_long or not is_plain or len(row) > len(COLUMNS):
        raise ValueError(row)
    return values


def _each(values: dict[str, str], name: str) -> list[str]:
    """Return the words of a value. Raises ValueError for one that is no code."""
    words = values[name].split()
    if any(len(word) > _LONGEST["code"] or not word.isprintable() for word in words):
        raise ValueError(name)
    return words


def _authorisation(code: str, game: str, values: dict[str, str]) -> NewAuthorisation:
    return NewAuthorisation(
        premises=code,
        game=Game(game).value,
        valid_from=_begins(values["valid_from"]),
        valid_until=_begins(values["valid_until"]) if values["valid_until"] else None,
        reference=values["reference"],
    )


def _begins(text: str) -> datetime.datetime:
    """Return the first instant of a day in Madrid."""
    return day_bounds(datetime.date.fromisoformat(text))[0]
