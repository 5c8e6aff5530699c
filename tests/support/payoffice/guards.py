"""Ask the database to refuse a row."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction


def refused(message: str, model: Any, **columns: Any) -> None:
    """Create the row; the database must refuse it with that message."""
    with pytest.raises(IntegrityError, match=message), transaction.atomic():
        model.objects.create(**columns)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
