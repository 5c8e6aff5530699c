"""Define the fields of requests and answers. Shapes check the form of JSON; services check rules.

A field takes only the JSON type in its name: a text field refuses a number, and an integer field
refuses "5".
"""

import datetime
import re
import uuid
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from core.kernel.days import DayOutOfRange, natural_day
from core.kernel.texts import invisible_at

BIGGEST = 2**63 - 1
_WHOLE = re.compile(r"-?[0-9]{1,19}\Z")


class Shape(serializers.Serializer[Any]):
    """A JSON object. In a request a name that is not here is an error (`unknown_field`)."""

    source: Any  # a field may have this name; the framework's own is a string

    def to_internal_value(self, data: Any) -> Any:
        unknown = self._unknown(data)
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            if isinstance(error.detail, dict):
                raise serializers.ValidationError({**error.detail, **unknown}) from error
            raise
        if unknown:
            raise serializers.ValidationError(unknown)
        return values

    def _unknown(self, data: Any) -> dict[str, list[ErrorDetail]]:
        if not isinstance(data, Mapping):
            return {}
        detail = ErrorDetail(str(_("This field is not known here.")), code="unknown_field")
        writable = {name for name, field in self.fields.items() if not field.read_only}
        return {name: [detail] for name in data if name not in writable}


class Whole(serializers.IntegerField):
    """A JSON integer within 64 bits, or narrower bounds; in a query string, its digits."""

    default_error_messages = {"type": _("A whole number is needed.")}

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("min_value", -BIGGEST - 1)
        kwargs.setdefault("max_value", BIGGEST)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> int:
        if type(data) is int:
            return data
        if not (self.context.get("query") and isinstance(data, str) and _WHOLE.match(data)):
            self.fail("type")
        return int(data)


class Cents(Whole):
    """An amount in euro cents."""


class Text(serializers.CharField):
    """A JSON text without control and invisible characters; `max_length` counts code points."""

    default_error_messages = {
        "type": _("A text is needed."),
        "control_character": _("Control characters and other invisible ones are not allowed."),
    }

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("type")
        if invisible_at(data) is not None:
            self.fail("control_character")
        return super().to_internal_value(data)


class Secret(Text):
    """A password, PIN, token or code: not trimmed, and never shown in an example or an answer."""

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, trim_whitespace=False, **kwargs)


class Code(serializers.RegexField):
    """A short name: capital letters, digits and hyphens, 1 to 20 characters."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("max_length", 20)
        super().__init__(r"^[A-Z0-9][A-Z0-9-]*\Z", trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Flag(serializers.BooleanField):
    """The JSON values true and false; in a query string, these two words."""

    TRUE_VALUES = {True}
    FALSE_VALUES = {False}
    NULL_VALUES: set[Any] = set()

    def to_internal_value(self, data: Any) -> bool:
        if self.context.get("query") and data in ("true", "false"):
            return bool(data == "true")
        if type(data) is not bool:
            self.fail("invalid", input=data)
        return data


class Instant(serializers.DateTimeField):
    """An instant with its offset from UTC (RFC 3339). Answers are always in UTC, ending in Z.

    An instant at the edge of the calendar that has no day in Madrid is refused: no page shows it.
    """

    default_error_messages = {"offset": _("An offset from UTC is needed, such as Z or +02:00.")}

    def to_internal_value(self, value: Any) -> datetime.datetime:
        if not isinstance(value, str):
            self.fail("invalid", format="RFC 3339")
        return super().to_internal_value(value)

    def enforce_timezone(self, value: datetime.datetime) -> datetime.datetime:
        if value.tzinfo is None:
            self.fail("offset")
        try:
            natural_day(value)
            return value.astimezone(datetime.UTC)
        except (DayOutOfRange, OverflowError):
            self.fail("invalid", format="RFC 3339")

    def to_representation(self, value: datetime.datetime) -> str:
        return utc_text(value)


class Day(serializers.DateField):
    """A natural day, YYYY-MM-DD."""

    def to_internal_value(self, value: Any) -> datetime.date:
        if not isinstance(value, str):
            self.fail("invalid", format="YYYY-MM-DD")
        return super().to_internal_value(value)


class Uuid(serializers.UUIDField):
    """A UUID as 8-4-4-4-12 hexadecimal digits."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        if not isinstance(data, str) or len(data) != 36:
            self.fail("invalid", value="")
        return super().to_internal_value(data)


class RequestUuid(Uuid):
    """The UUID of a request: version 7 (RFC 9562), with the time at which the client made it.

    The act refuses another version, or a time too far from the system's, unless it was done before.
    """

    def __init__(self, *, help_text: str, **kwargs: Any) -> None:
        words = f"{help_text} Of version 7 (RFC 9562), with the time of `X-Server-Time`."
        super().__init__(help_text=words, **kwargs)


class Choice(serializers.ChoiceField):
    """One of a fixed list of words."""

    def __init__(self, choices: Iterable[Any], **kwargs: Any) -> None:
        super().__init__(choices=list(choices), **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid_choice", input=type(data).__name__)
        return super().to_internal_value(data)


class KnownName(Text):
    """The name of something that there is: a mistyped filter must not answer that there is none.

    `names` returns all names; it is called for each value.
    """

    default_error_messages = {
        "invalid_choice": serializers.ChoiceField.default_error_messages["invalid_choice"]
    }

    def __init__(self, names: Callable[[], Container[str]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.names = names

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        if name not in self.names():
            self.fail("invalid_choice", input=name)
        return name


class PageQuery(Shape):
    """The query string of every list; lists with filters derive from it."""

    limit = Whole(min_value=1, max_value=200, default=50, help_text="Most items in the answer.")
    cursor = Text(
        max_length=200,
        required=False,
        default="",
        help_text="`next` of the page before; absent for the first page.",
    )


def utc_text(instant: datetime.datetime) -> str:
    """Return an instant as RFC 3339 in UTC, with microseconds if there are any."""
    return instant.astimezone(datetime.UTC).isoformat().replace("+00:00", "Z")
