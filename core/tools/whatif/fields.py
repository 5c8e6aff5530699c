"""Read the values of a case; check each one, and give errors with their place.

Each kind of fault has an error class with its code, which callers rely on.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from typing import ClassVar

from core.kernel.documents import Table
from core.kernel.errors import Invalid
from core.kernel.money import MAX_CENTS
from core.kernel.regulation import Regulation, shipped


class MissingField(Invalid):
    """The field at `data["place"]` is required and missing."""

    code = "missing_field"
    message = "A field is missing."


class UnknownField(Invalid):
    """`data["place"]` is not a field of such a case."""

    code = "unknown_field"
    message = "A field is not known."


class WrongType(Invalid):
    """The value at `data["place"]` is of another type, or is no day or time."""

    code = "wrong_type"
    message = "A value has the wrong type."


class OutOfRange(Invalid):
    """The value at `data["place"]` is negative, too large, or none of those allowed."""

    code = "out_of_range"
    message = "A value is out of range."


class RepeatedValue(Invalid):
    """The list at `data["place"]` holds a value twice."""

    code = "repeated_value"
    message = "A value is repeated."


class Fields(Table):
    """A JSON object of a case, with its required and its optional fields.

    Raises WrongType, MissingField, UnknownField. The readers raise WrongType and OutOfRange.
    """

    words: ClassVar[Mapping[str, str]] = {**Table.words, "day": "a day is needed, YYYY-MM-DD"}

    def __init__(
        self, value: object, place: str, *, needs: Collection[str], may: Collection[str] = ()
    ) -> None:
        super().__init__(value, place, WrongType)
        for key in needs:
            if not self.has(key):
                raise MissingField(f"{self.at(key)} is missing", place=self.at(key))
        for key in self.unread:
            if key not in needs and key not in may:
                raise UnknownField(f"{self.at(key)} is not known here", place=self.at(key))

    def integer(self, key: str) -> int:
        """Return an integer from 0 to MAX_CENTS."""
        return integer(self.get(key), self.at(key))

    def choice(self, key: str, allowed: Iterable[str]) -> str:
        """Return a text that is one of those allowed."""
        value, names = self.get(key), list(allowed)
        if not isinstance(value, str):
            raise WrongType(f"{self.at(key)}: a text is needed", place=self.at(key))
        if value not in names:
            raise OutOfRange(f"{self.at(key)}: one of {names}", place=self.at(key))
        return value

    def listed(self, key: str) -> list[object]:
        """Return a list, its items unchecked."""
        return listed(self.get(key), self.at(key))

    def regulation(self, key: str = "day") -> Regulation:
        """Return the figures in force on the day; without a day, those of the text of 2005."""
        return shipped().in_force(self.day(key) if self.has(key) else date.min)


def integer(value: object, place: str) -> int:
    """Return an integer from 0 to MAX_CENTS. Raises WrongType, OutOfRange."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise WrongType(f"{place}: an integer is needed", place=place)
    if not 0 <= value <= MAX_CENTS:
        raise OutOfRange(f"{place}: from 0 to {MAX_CENTS}", place=place)
    return value


def listed(value: object, place: str) -> list[object]:
    """Return a list, its items unchecked. Raises WrongType."""
    if not isinstance(value, list):
        raise WrongType(f"{place}: a list is needed", place=place)
    return value


def distinct_integers(value: object, place: str) -> list[int]:
    """Return a list of different integers. Raises WrongType, OutOfRange, RepeatedValue."""
    numbers = [integer(item, place) for item in listed(value, place)]
    if len(set(numbers)) != len(numbers):
        raise RepeatedValue(f"{place}: a number is repeated", place=place)
    return numbers


def instant(value: object, place: str) -> datetime:
    """Return a time in ISO 8601 with its offset from UTC. Raises WrongType."""
    try:
        read = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError as error:
        raise WrongType(f"{place}: {error}", place=place) from error
    if read is None or read.utcoffset() is None:
        raise WrongType(f"{place}: a time with its offset is needed", place=place)
    return read
