"""Read a JSON document strictly: each field has one type, and an unknown field is an error.

The first fault is raised, with its JSON path (`$.tiers[2].count`) as `data["place"]`. Documents of
this project (regulation, games, plans) are read with it. Bet types, programmes and cases of whatif
have readers that differ in what they report; their modules say how.
"""

from collections.abc import Callable, Mapping
from datetime import date, time
from fractions import Fraction
from typing import Final, TypeVar

from core.kernel.errors import Invalid
from core.kernel.money import BadPercent, parse_percent

MAX_ITEMS: Final = 128

T = TypeVar("T")


class Table:
    """An object of the document. `finish` refuses the fields that the reader did not read.

    `refusal` is the error that every method raises, with `data["place"]`.
    """

    def __init__(self, value: object, place: str, refusal: type[Invalid]) -> None:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise refusal(f"{place}: an object is needed", place=place)
        self.place = place
        self.refusal = refusal
        self._values: Mapping[str, object] = value
        self.unread = {*value}

    def get(self, key: str) -> object:
        """Return the value of a field, None if the field is absent."""
        self.unread.discard(key)
        return self._values.get(key)

    def wrong(self, key: str, why: str) -> Invalid:
        """Return the error for a field; `why` is the reason."""
        place = f"{self.place}.{key}"
        return self.refusal(f"{place}: {why}", place=place)

    def finish(self) -> None:
        """Refuse the fields that were not read."""
        for key in sorted(self.unread):
            raise self.wrong(key, "nothing of that name belongs here")

    def text(self, key: str) -> str:
        """Return a text."""
        value = self.get(key)
        if not isinstance(value, str):
            raise self.wrong(key, "a text is needed")
        return value

    def whole(self, key: str, most: int, least: int = 0) -> int:
        """Return a whole number from `least` to `most`, both inclusive. True and false are
        refused.
        """
        value = self.get(key)
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(key, f"a whole number from {least} to {most} is needed")
        return value

    def optional(self, key: str, most: int, default: int) -> int:
        """Return a whole number from 0 to `most`, or the default if the field is absent."""
        return self.whole(key, most) if key in self.unread else default

    def many(
        self, key: str, read: Callable[["Table", str], T], most: int = MAX_ITEMS
    ) -> tuple[T, ...]:
        """Return a list of 1 to `most` items, each read by `read(items, key)`; `key` names the
        item.
        """
        value = self.get(key)
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            raise self.wrong(key, f"a list of 1 to {most} items is needed")
        items = Table(
            {f"{key}[{at}]": item for at, item in enumerate(value)}, self.place, self.refusal
        )
        return tuple(read(items, f"{key}[{at}]") for at in range(len(value)))

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return self.many(key, lambda items, at: items.text(at))

    def wholes(self, key: str, most: int) -> tuple[int, ...]:
        """Return a list of whole numbers from 0 to `most`."""
        return self.many(key, lambda items, at: items.whole(at, most))

    def tables(
        self, key: str, read: Callable[["Table"], T], most: int = MAX_ITEMS
    ) -> tuple[T, ...]:
        """Return a list of objects, each read by `read`."""
        return self.many(key, lambda items, at: items.table(at, read), most)

    def table(self, key: str, read: Callable[["Table"], T]) -> T:
        """Return an object, read by `read`. Fields that `read` did not read are refused."""
        inner = Table(self.get(key), f"{self.place}.{key}", self.refusal)
        result = read(inner)
        inner.finish()
        return result

    def mapping(self, key: str) -> dict[str, str]:
        """Return texts by identifier; an empty mapping if the field is absent."""
        if key not in self.unread:
            return {}
        return self.table(key, lambda inner: {name: inner.text(name) for name in [*inner.unread]})

    def day(self, key: str) -> date:
        """Return a day, YYYY-MM-DD."""
        try:
            return date.fromisoformat(self.text(key))
        except ValueError as error:
            raise self.wrong(key, "a day, YYYY-MM-DD, is needed") from error

    def hour(self, key: str) -> time:
        """Return an hour and minute of the clock, hh:mm."""
        text = self.text(key)
        try:
            hour = time.fromisoformat(text)
        except ValueError as error:
            raise self.wrong(key, "an hour, hh:mm, is needed") from error
        if hour.isoformat("minutes") != text:
            raise self.wrong(key, "an hour, hh:mm, is needed")
        return hour

    def percent(self, key: str) -> Fraction:
        """Return an exact percentage, written as a whole number or as a decimal text."""
        try:
            return parse_percent(self.get(key))
        except BadPercent as error:
            raise self.wrong(key, error.detail) from error
