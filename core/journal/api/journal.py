"""Serve the journal to auditors and inspectors: acts, their changes, batches, and verification."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import (
    Choice,
    Flag,
    Instant,
    KnownName,
    PageQuery,
    Shape,
    Text,
    Whole,
)
from core.api.views import StaffView
from core.journal import powers, selectors
from core.journal.models import Batch
from core.journal.verifying import Fault
from core.premises.selectors import terminal_codes
from core.staff.accounts import UserUnknown

_MOST = 1000


class ActQuery(PageQuery):
    name = KnownName(
        selectors.act_names, max_length=120, default="", help_text="The act's whole name."
    )
    staff = Whole(default=None, min_value=1)
    person = Text(max_length=150, default="", help_text="The user name of a member of staff.")
    terminal = KnownName(terminal_codes, max_length=20, default="")
    request_id = Text(max_length=64, default="")
    since = Instant(default=None)
    until = Instant(default=None)


class ActOut(Shape):
    act = Whole(source="xid", help_text="The number of its transaction.")
    at = Instant()
    name = serializers.CharField(
        help_text="The operation, `admin:power:act`, `task:name` or `command:name`."
    )
    staff = Whole(source="user_id", allow_null=True)
    staff_name = serializers.CharField(source="user", allow_null=True, default=None)
    staff_session = Whole(source="session_id", allow_null=True)
    terminal = serializers.CharField(source="terminal.code", allow_null=True, default=None)
    operator = Whole(source="operator.number", allow_null=True, default=None)
    request_id = serializers.CharField()
    database_role = serializers.CharField()


class WrittenOut(Shape):
    table = serializers.CharField()
    rows = Whole()
    first = serializers.ListField(child=Whole(), help_text="The first keys, a hundred at most.")


class ChangeOut(Shape):
    table = serializers.CharField(source="relation")
    row = Whole(source="row_id")
    before = serializers.DictField()
    after = serializers.DictField()


class ActDetailOut(ActOut):
    written = WrittenOut(many=True)
    changes = ChangeOut(many=True)


class BatchOut(Shape):
    batch = Whole(source="number")
    first_act = Whole(source="first_xid")
    before_act = Whole(source="end_xid")
    sealed_at = Instant()
    entries = Whole()
    digest = serializers.SerializerMethodField()
    key = serializers.CharField(source="key.key_id")

    def get_digest(self, row: Batch) -> str:
        return bytes(row.digest).hex()


class FindingOut(Shape):
    what = Choice([fault.value for fault in Fault])
    detail = serializers.CharField()
    batch = Whole(allow_null=True)
    table = serializers.CharField()
    row = Whole(allow_null=True)
    act = Whole(source="xid", allow_null=True)


class VerificationQuery(Shape):
    most = Whole(default=100, min_value=1, max_value=_MOST, help_text="Findings at most.")


class VerificationOut(Shape):
    batches = Whole()
    entries = Whole()
    findings = FindingOut(many=True)
    is_cut = Flag(help_text="There are more findings than were asked for.")


class Acts(StaffView):
    @operation(
        "Acts that changed something, newest first",
        answer=ActOut,
        paged=True,
        query=ActQuery,
        problems=(UserUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(ActQuery)
        names = ("name", "staff", "person", "terminal", "request_id", "since", "until")
        acts = selectors.acts(by=self.by, **{name: query[name] for name in names})
        return self.rows(ActOut, acts, query, newest_first=True)


class OneAct(StaffView):
    @operation(
        "An act, the rows it wrote and what it changed",
        answer=ActDetailOut,
        problems=(selectors.ActUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request, act: int) -> HttpResponse:
        row = selectors.act(by=self.by, xid=act)
        row.written, row.changes = (  # type: ignore[attr-defined]
            selectors.written(act=row),
            selectors.changes(act=row),
        )
        return self.answer(ActDetailOut, row)


class Batches(StaffView):
    @operation("Sealed batches, newest first", answer=BatchOut, paged=True, power=powers.READ)
    def get(self, request: Request) -> HttpResponse:
        batches = selectors.batches(by=self.by)
        return self.rows(BatchOut, batches, self.query(PageQuery), newest_first=True)


class Verification(StaffView):
    @operation(
        "Verify the journal and every row it stands for",
        "Takes as long as reading every row once; `manage.py journal_verify` says the same.",
        answer=VerificationOut,
        query=VerificationQuery,
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        most = self.query(VerificationQuery)["most"]
        return self.answer(VerificationOut, selectors.verification(by=self.by, most=most))
