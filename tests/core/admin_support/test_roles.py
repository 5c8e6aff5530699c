"""Try every cell of docs/roles.md: who may is let in, who may not is refused and writes nothing."""

import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.template.response import SimpleTemplateResponse
from django.test import Client

from core.admin_support import roles
from core.admin_support.roles import CALLERS, FIRST, KIND, NEW, endpoints
from core.admin_support.site import Site
from core.database import clock
from core.kernel.canonical import canonical_sha256
from core.staff import two_persons
from core.staff.models import Proposal, StaffSession, User
from core.staff.powers import Role, holders
from core.staff.two_persons import Kind, kinds
from core.tools.embedded.server import ROOT
from tests.support import factories
from tests.support.admin_desk import Desk, act_url, list_url
from tests.support.operations.called import Called, by_endpoint, code_of
from tests.support.operations.world import Headers, World, bearer, world
from tests.support.operations.writing import Undoing

NO_AUTHORITY = frozenset(
    {
        *("credentials_missing", "session_unknown", "power_missing", "password_not_own"),
        *("terminal_cannot", "operator_session_unknown", "premises_not_authorised"),
    }
)
"""Codes that say that this caller may not, whatever is asked."""
PARTS = 4  # so that several workers share the operations


@pytest.fixture(scope="module")
def state(shared: None) -> tuple[World, Undoing]:
    """The world of all tests here, which are undone one by one."""
    return world(), Undoing()


def test_the_page_shows_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("roles")
    page = (ROOT / "docs" / "roles.md").read_text()
    assert page == capsys.readouterr().out, "run: make documents"


def test_every_operation_is_an_endpoint_and_each_of_staff_names_its_power() -> None:
    operations = endpoints()
    assert {(endpoint.method, endpoint.path) for endpoint in operations} == set(by_endpoint())
    for endpoint in operations:
        if "staff" in str(by_endpoint()[endpoint.method, endpoint.path].operation.get("security")):
            assert endpoint.declared.power in ("-", "*") or holders(endpoint.declared.power), (
                endpoint.name
            )


@pytest.mark.parametrize("part", range(PARTS))
def test_each_cell_of_the_operations(state: tuple[World, Undoing], part: int) -> None:
    around, undoing = state
    client, faults = Client(raise_request_exception=False), []
    for endpoint in endpoints()[part::PARTS]:
        called = by_endpoint()[endpoint.method, endpoint.path]
        for caller in CALLERS:
            if caller in (FIRST, NEW):
                continue  # what they may follows from the view, and is tried below
            answered = _answered(client, around, undoing, called, around.callers[caller])
            may = bool(endpoint.cell(caller))
            if fault := _cell_fault(answered, may=may):
                faults.append(f"{endpoint.name} by {caller} ({'x' if may else '-'}): {fault}")
    assert not faults, "\n".join(faults)


def _answered(
    client: Client, around: World, undoing: Undoing, called: Called, headers: Headers
) -> tuple[int, str, tuple[str, ...]]:
    with undoing.request() as wrote:
        answer = called.send(
            client, path=around.path(called), headers=headers, body=around.body(called.sample)
        )
        wrote.looks = answer.status_code >= 400
        code = code_of(answer)
    return answer.status_code, code, wrote.tables


def _cell_fault(answered: tuple[int, str, tuple[str, ...]], *, may: bool) -> str:
    status, code, tables = answered
    if status >= 500 or (status >= 400 and not code):
        return f"{status} {code}"
    if tables:
        return f"{status} {code} wrote {tables}"
    is_refused = status in (401, 403) and code in NO_AUTHORITY
    return f"{status} {code}" if is_refused == may else ""


def test_an_account_with_a_first_password_may_choose_its_own_and_leave(
    state: tuple[World, Undoing],
) -> None:
    around, undoing = state
    user = User.objects.get(pk=factories.staff(Role.ADMINISTRATOR).user_id)
    headers = bearer(user)
    User.objects.filter(pk=user.pk).update(must_set_password=True)
    undoing.keep()
    client, faults = Client(raise_request_exception=False), []
    for endpoint in endpoints():
        called = by_endpoint()[endpoint.method, endpoint.path]
        if called.owner != "staff":
            continue
        _, code, tables = _answered(client, around, undoing, called, headers)
        if (code == "password_not_own") == bool(endpoint.cell(FIRST)) or (code and tables):
            faults.append(f"{endpoint.name}: {code} {tables}")
    assert not faults, "\n".join(faults)


def _new_account(role: Role) -> Headers:
    """Return the headers of somebody whose account will be a second person in an hour."""
    name = f"new-{uuid.uuid4().hex[:12]}"
    return bearer(factories.account(name, "New", role, waits=timedelta(hours=1)))


def test_a_new_account_gives_no_power(state: tuple[World, Undoing]) -> None:
    around, undoing = state
    administrator = around.callers[Role.ADMINISTRATOR.value]
    headers = _new_account(Role.ADMINISTRATOR)
    undoing.keep()
    client, faults = Client(raise_request_exception=False), []
    for endpoint in endpoints():
        called = by_endpoint()[endpoint.method, endpoint.path]
        if not endpoint.refuses_new_accounts() or endpoint.mark == KIND:
            continue
        may = _answered(client, around, undoing, called, administrator)
        answered = _answered(client, around, undoing, called, headers)
        if answered[1:] != ("second_person_too_new", ()) and answered != may:
            faults.append(f"{endpoint.name}: {answered}, {may} for others")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("part", range(PARTS))
def test_each_cell_of_the_acts_of_two_persons(
    state: tuple[World, Undoing], part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each role tries to confirm what each role that may proposed, by the API."""
    around, undoing = state
    confirmation = by_endpoint()["post", "/api/v1/proposals/{proposal}/confirmation"]
    inert = {n: replace(kind, apply=lambda proposal, by: None) for n, kind in kinds().items()}
    monkeypatch.setattr(two_persons, "kinds", lambda: inert)
    client, faults = Client(raise_request_exception=False), []
    sessions = StaffSession.objects.select_related("user")
    for name in sorted(inert)[part::PARTS]:
        kind = inert[name]
        proposers = holders(kind.power)
        assert proposers, name
        session = sessions.get(pk=factories.staff(min(proposers)).session_id)
        proposal = _proposed(kind, session)
        again = bearer(session.user)
        new = _new_account(min(holders(kind.decides)))
        undoing.keep()
        asked = [
            *((around.callers[r.value], r in holders(kind.decides), "power_missing") for r in Role),
            (again, False, "same_person" if min(proposers) in holders(kind.decides) else ""),
            (new, False, "second_person_too_new"),
        ]
        for headers, may, expected in asked:
            with undoing.request() as wrote:
                answer = confirmation.send(client, path={"proposal": proposal}, headers=headers)
                wrote.looks = answer.status_code >= 400
                code = code_of(answer)
            is_wrong = bool(code) if may else answer.status_code != 403 or wrote.tables
            if is_wrong or (expected and code not in ("", expected)):
                faults.append(f"{name}: {answer.status_code} {code} {wrote.tables} ({expected})")
    assert not faults, "\n".join(faults)


def _proposed(kind: Kind, session: StaffSession) -> str:
    content = {"of": kind.name}
    proposal = Proposal.objects.create(
        kind=kind.name,
        subject=f"cell:{kind.name}",
        content=content,
        content_digest=canonical_sha256(content),
        proposed_at=clock.now(),
        good_until=None,
        proposed_by=session.user,
        proposed_in=session,
    )
    return str(proposal.uuid)


@pytest.mark.parametrize("role", list(Role))
def test_each_page_and_act_of_the_administration(
    state: tuple[World, Undoing], role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Open every list, and the acts of it and of a row where there is one.

    Nothing is rendered, which takes longest: `test_admin_pages` looks at the pages.
    """
    monkeypatch.setattr(SimpleTemplateResponse, "rendered_content", "")
    monkeypatch.setattr(Site, "each_context", lambda self, request: {})
    _, undoing = state
    desk, faults = Desk(role), []
    undoing.keep()
    for page in roles.pages():
        may_read = role in holders(page.read_power)
        row = page.model._default_manager.order_by("-pk").first()
        acts = [(act_url(page.model, act.name), act.power) for act in page.list_acts]
        if row is not None:
            acts += [(act_url(row, act.name), act.power_for(row)) for act in page.acts]
        # Who may not read the table is let to none of its acts, in one place: one is tried.
        asked = [(list_url(page.model), page.read_power), *(acts if may_read else acts[:1])]
        for url, power in asked:
            with undoing.request() as wrote:
                status = desk.client.get(url).status_code
                wrote.looks = status >= 400
            may = may_read and role in holders(power)
            if (status == 200) != may or status >= 500 or wrote.tables:
                faults.append(f"{url}: {status} {wrote.tables}")
    assert not faults, "\n".join(faults)
