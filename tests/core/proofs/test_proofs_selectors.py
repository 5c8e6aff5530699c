"""The log says which rows left: exactly the ranges that were published, joined where they meet."""

import pytest
from django.db import transaction

from core.proofs.log import publish
from core.proofs.selectors import RETIREMENT, Retired, retired_rows


@pytest.mark.django_db
def test_retired_rows_are_those_that_were_published() -> None:
    assert retired_rows("a") == []
    earlier = Retired("a")
    assert 12 not in earlier
    with transaction.atomic():
        for month, table, first, last in (
            ("2030-03", "a", 1, 10),
            ("2030-04", "a", 11, 12),
            ("2030-05", "a", 20, 20),
            ("2030-06", "b", 1, 99),
        ):
            named = {"table": table, "first_row": first, "last_row": last}
            publish(kind=RETIREMENT, subject=f"period:{month}", document={"tables": [named]})
        publish(kind="periods.closed", subject="period:2030-03", document={})
    assert retired_rows("a") == [range(1, 13), range(20, 21)]
    assert retired_rows("b") == [range(1, 100)]
    assert retired_rows("c") == []
    assert [row for row in range(1, 25) if row in earlier] == [*range(1, 13), 20]
    assert None not in earlier
