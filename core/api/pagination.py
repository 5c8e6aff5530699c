"""Lists page by page: an opaque cursor over a unique column, so that pages never shift.

Reading on from the last cursor later gives what has been added since.
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
    """Where the page before ended, None for no cursor. Raises CursorInvalid."""
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
    """One page of a query set by a unique integer column, and the cursor of the next."""

    def fetch(after: int | None, limit: int) -> Sequence[Any]:
        found = rows.order_by(f"-{key}" if newest_first else key)
        if after is not None:
            found = found.filter(**{f"{key}__{'lt' if newest_first else 'gt'}": after})
        return list(found[:limit])

    return page_of(fetch, query, kind=int, position=lambda row: getattr(row, key))


def page_of(
    fetch: Callable[[Any, int], Sequence[Any]],
    query: dict[str, Any],
    *,
    kind: type[int] | type[str],
    position: Callable[[Any], int | str],
) -> tuple[list[Any], str | None]:
    """One page of `fetch(after, limit)`, which gives items in the order of their `position`."""
    limit = query["limit"]
    found = list(fetch(position_of(query["cursor"], kind), limit + 1))
    items = found[:limit]
    return items, cursor_of(position(items[-1])) if len(found) > limit else None
