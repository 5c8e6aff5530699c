"""Check the columns and triggers that put a table under the journal."""

from core.journal import acting
from core.journal.models import Change
from tests.support import factories
from tests.support.databases import Database


def change(relation: str) -> Change:
    return Change.objects.filter(relation=relation).latest("pk")


def test_what_is_secret_stays_so(own_database: Database) -> None:
    place = factories.point()
    with acting.acting("pin"):
        place.operator.pin = "argon2$secret"
        place.operator.save(update_fields=["pin"])
    written = change("premises_operator")
    assert set(written.after) == {"pin"}
    assert written.after["pin"].startswith("sha256:")
    assert "argon2" not in str(written.before) + str(written.after)
