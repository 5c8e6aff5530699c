"""Keep looks: append-only, found by what was looked at, with nothing of the content."""

import pytest
from django.db import Error, transaction

from core.looks.models import Look
from core.looks.recording import look
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_a_look_says_at_what_and_never_changes() -> None:
    look("document", "lototrot:7", asked="code")
    look("lototrot.prize")
    one, all_of_them = Look.objects.order_by("pk")
    assert (str(one), str(all_of_them)) == ("document lototrot:7", "lototrot.prize")
    for change in (lambda: Look.objects.update(subject=""), lambda: Look.objects.all().delete()):
        with pytest.raises(Error), transaction.atomic():
            change()


def test_what_is_long_is_cut() -> None:
    factories.time_pass(minutes=1)
    look("report", "x" * 500, asked="y" * 5_000)
    cut = Look.objects.get()
    assert (len(cut.subject), len(cut.asked)) == (120, 400)
