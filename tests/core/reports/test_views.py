"""Saved views: a person's own, or shared with a role that they have; they give no right."""

import pytest
from django.db import DatabaseError, transaction

from core.reports import views
from core.reports.models import SavedView
from core.reports.views import view_remove, view_save, views_of
from core.staff.actor import StaffActor
from core.staff.models import User
from core.staff.powers import Role
from tests.support import factories

pytestmark = pytest.mark.django_db
TABLE, ASKED = "lototrot.ticket", "state=valid&premises.is=A1"


def _names(by: StaffActor) -> list[str]:
    return [view.name for view in views_of(by=by, table=TABLE)]


def test_what_is_no_view_or_not_theirs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    by = factories.staff(Role.ORGANISER)
    for wrong in ({"name": " "}, {"name": "x" * 81}, {"query": ""}, {"query": "after=7&p=2"}):
        with pytest.raises(views.ViewRefused):
            view_save(**{"by": by, "table": TABLE, "name": "A1", "query": ASKED} | wrong)
    with pytest.raises(views.ViewRefused):
        view_save(by=by, table=TABLE, name="A1", query="q=" + "x" * 1000)
    with pytest.raises(views.RoleNotYours):
        view_save(by=by, table=TABLE, name="A1", query=ASKED, role=Role.AUDITOR)
    saved = view_save(by=by, table=TABLE, name="A1", query=ASKED)
    with pytest.raises(views.ViewNameTaken):
        view_save(by=by, table=TABLE, name="A1 ", query="state=void")
    with pytest.raises(views.ViewUnknown):
        view_remove(by=factories.staff(Role.ORGANISER), pk=saved.pk)
    monkeypatch.setattr(views, "MOST_VIEWS", 1)
    with pytest.raises(views.TooManyViews):
        view_save(by=by, table=TABLE, name="A2", query=ASKED)


def test_a_view_is_for_its_person_or_for_a_role() -> None:
    by, colleague = factories.staff(Role.ORGANISER), factories.staff(Role.ORGANISER)
    own = view_save(by=by, table=TABLE, name="Mine", query=f"{ASKED}&after=12")
    assert own.query == "premises.is=A1&state=valid"
    shared = view_save(by=by, table=TABLE, name="Ours", query=ASKED, role=Role.ORGANISER)
    view_save(by=by, table="lototrot.prize", name="Prizes", query=ASKED)
    assert _names(by) == ["Mine", "Ours"]
    assert _names(colleague) == ["Ours"]
    assert _names(factories.staff(Role.AUDITOR)) == []
    User.objects.filter(pk=by.user_id).update(is_active=False)
    assert _names(colleague) == []
    User.objects.filter(pk=by.user_id).update(is_active=True)
    view_remove(by=by, pk=shared.pk)
    assert (_names(by), _names(colleague)) == (["Mine"], [])
    with pytest.raises(views.ViewUnknown):
        view_remove(by=by, pk=shared.pk)
    again = view_save(by=by, table=TABLE, name="Ours", query=ASKED)
    assert str(again) == "Ours"


def test_a_view_is_never_changed_nor_deleted() -> None:
    saved = view_save(by=factories.staff(Role.ORGANISER), table=TABLE, name="Mine", query=ASKED)
    rows = SavedView.objects.filter(pk=saved.pk)
    for change in (lambda: rows.update(query="q=1"), rows.delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
