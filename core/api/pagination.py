"""Split lists into pages by an opaque cursor over a unique column, so that pages never shift.

A later request with the last cursor returns what has been added since.
"""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import QuerySet

from core.api.errors import CursorInvalid


def cursor_of(position: int | str) -> str:
    return base64.urlsafe_b64encode(json.dumps([position]).encode()).rstrip(b"=").decode()


def position_of(cursor: str, kind: type[int] | type[str]) -> Any:
    """Return the position where the previous page ended, None for no cursor. Raises
    CursorInvalid.
    """
    if not cursor:
        return None
    try:
        (position,) = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", True))
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise CursorInvalid from error
    if type(position) is not kind:
        raise CursorInvalid
    # Text that PostgreSQL cannot keep (NUL, half a surrogate pair) is not printable either.
    fits = 0 <= position < 1 << 63 if isinstance(position, int) else position.isprintable()
    if not fits:
        raise CursorInvalid
    return position


def page_of_rows(
    rows: QuerySet[Any], query: dict[str, Any], *, key: str = "pk", newest_first: bool = False
) -> tuple[list[Any], str | None]:
    """Return one page of a query set ordered by a unique integer column, and the next cursor."""

    def fetch(after: int | None, limit: int) -> Sequence[Any]:
        ordered = rows.order_by(f"-{key}" if newest_first else key)
        if after is not None:
            ordered = ordered.filter(**{f"{key}__{'lt' if newest_first else 'gt'}": after})
        return list(ordered[:limit])

    return page_of(fetch, query, kind=int, position=lambda row: getattr(row, key))


def page_of(
    fetch: Callable[[Any, int], Sequence[Any]],
    query: dict[str, Any],
    *,
    kind: type[int] | type[str],
    position: Callable[[Any], int | str],
) -> tuple[list[Any], str | None]:
    """Return one page of `fetch(after, limit)`, whose items are ordered by `position`, and the next
    cursor.
    """
    limit = query["limit"]
    fetched = list(fetch(position_of(query["cursor"], kind), limit + 1))
    items = fetched[:limit]
    return items, cursor_of(position(items[-1])) if len(fetched) > limit else None
