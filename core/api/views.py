"""Define the base classes of all views.

A view parses a shape, calls one service and renders what it returns. Views contain no rules. To add
an operation, write its shapes and its view into a module of the app's `api` package, and its
address into `urlpatterns` of `api/urls.py` there, which is found by its name. The app's service
raises the errors that `problems` lists.

    class Suspensions(StaffView):
        @operation("Suspend sales", body=SuspensionIn, answer=SuspensionOut, status=201,
                   problems=(PremisesUnknown,), idempotent=True)
        def post(self, request: Request) -> HttpResponse:
            return self.created_once(
                SuspensionOut, sales_suspend, by=self.by, **self.read(SuspensionIn)
            )

The base class says who may call: `ApiView` anyone, `StaffView` a member of staff,
`BareTerminalView` a terminal, `TerminalView` an operator signed on at one. Papers add
`core.api.papers.PaperView`; the terminals' hot paths use `LeanView` and a `core.api.bodies.Body`.
At the end, write the documents again: `make documents`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, ParamSpec

import msgspec
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.views import APIView

from core.api import bodies, idempotency, pagination, parsing, problems
from core.api.acting import begin
from core.api.authentication import (
    STAFF_SCHEME,
    TERMINAL_SCHEME,
    OperatorToken,
    StaffToken,
    TerminalToken,
    terminal_credentials,
)
from core.api.bodies import B
from core.api.errors import MethodNotAllowed, RouteUnknown
from core.api.schema import OF_ITS_KIND, SIGNED_ON
from core.api.shapes import BIGGEST, Shape
from core.database.models import Guarded
from core.looks.recording import look_at_list, look_at_row
from core.premises.access import (
    BareTerminal,
    TerminalActor,
    TerminalCredentials,
    bare_terminal,
    terminal_actor,
)
from core.premises.quotas import reads_take, writes_take
from core.staff.actor import PasswordNotOwn, SecondFactorNotSet, StaffActor
from core.traffic.standing import standing_of


def json_response(content: Any, status: int = 200) -> HttpResponse:
    """Answer JSON without spaces, with what JSON has no form for as the framework writes it."""
    text = msgspec.json.encode(content, enc_hook=_written)
    return HttpResponse(text, content_type="application/json", status=status)


def _written(value: Any) -> Any:
    # A safe text's own `str` is itself again.
    return str.__str__(value) if isinstance(value, str) else JSONEncoder().default(value)


def _prove(request: Request) -> None:
    """Say that the credentials of a request were found good (`core.api.limits`)."""
    standing_of(request._request).is_proven = True


_P = ParamSpec("_P")


class ApiView(APIView):
    """Answer anyone. `body_limit_bytes` is checked before the body is read.

    `units` is what an answer costs strangers of their limits, `for_terminals` whether processes for
    sales give it (`core.api.limits`).
    """

    units: ClassVar[int] = 1
    for_terminals: ClassVar[bool] = False
    asks_credentials: ClassVar[bool] = False
    http_method_names = ("get", "head", "post", "put", "patch", "delete")
    body_limit_bytes = 64 * parsing.KIBIBYTE
    challenge = STAFF_SCHEME
    parser_classes = (parsing.JsonParser,)
    authentication_classes: Sequence[type[BaseAuthentication]] = ()
    permission_classes = ()
    throttle_classes = ()
    # By method name, for a method that asks for other credentials than the rest.
    authentication_for: ClassVar[dict[str, tuple[type[BaseAuthentication], ...]]] = {}

    def get_authenticators(self) -> list[BaseAuthentication]:
        request = getattr(self, "request", None)  # absent while the schema is generated
        method = (request.method or "").lower() if request else ""
        classes = self.authentication_for.get(method, self.authentication_classes)
        return [kind() for kind in classes]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.check_path(kwargs)
        parsing.check_size(request._request, self.body_limit_bytes)
        super().initial(request, *args, **kwargs)
        self.acting(**self.identify(request))

    def check_path(self, parts: Mapping[str, Any]) -> None:
        """Raise RouteUnknown for a part of the path that cannot name anything stored here."""
        for part in parts.values():
            fits = part.isprintable() if isinstance(part, str) else True
            if not fits or (isinstance(part, int) and part > BIGGEST):
                raise RouteUnknown

    def identify(self, request: Request) -> dict[str, int]:
        """Return who asks as arguments for `acting`: here nobody."""
        return {}

    def read(self, shape: type[Shape]) -> dict[str, Any]:
        """Return the body as that shape. Raises MalformedJson, FieldsInvalid, UnknownField."""
        return self.validated(shape, self.request.data)

    def read_body(self, kind: type[B]) -> B:
        """Return the body of a hot path. Raises MalformedJson, FieldsInvalid, UnknownField."""
        return bodies.from_document(kind, self.request.data)

    def query(self, shape: type[Shape]) -> dict[str, Any]:
        """Return the query string as that shape; of a repeated parameter the last value counts."""
        return self.validated(shape, self.request.GET.dict(), query=True)

    @staticmethod
    def validated(shape: type[Shape], data: Any, *, query: bool = False) -> dict[str, Any]:
        reading = shape(data=data, context={"query": query})
        reading.is_valid(raise_exception=True)
        return dict(reading.validated_data)

    def answer(self, shape: type[Shape], content: Any, status: int = 200) -> HttpResponse:
        """Return a response with `content`, an object or a mapping, in that shape."""
        return json_response(shape(content).data, status)

    def nothing(self) -> HttpResponse:
        return HttpResponse(status=204)

    def rows(
        self,
        shape: type[Shape],
        rows: QuerySet[Any],
        query: dict[str, Any],
        *,
        key: str = "pk",
        newest_first: bool = False,
    ) -> HttpResponse:
        """Return one page of a query set; `query` is the validated data of a PageQuery."""
        page, cursor = pagination.page_of_rows(rows, query, key=key, newest_first=newest_first)
        return self.page(shape, page, cursor)

    def page(self, shape: type[Shape], items: Sequence[Any], cursor: str | None) -> HttpResponse:
        return json_response({"items": shape(items, many=True).data, "next": cursor})

    def acting(self, **ids: int) -> None:
        """Say who acts: to the request's log line and, if the request may write, to the journal."""
        request = self.request._request
        request.acting = ids  # type: ignore[attr-defined]
        if request.method not in SAFE_METHODS:
            begin(request, **ids)


class StaffView(ApiView):
    """Answer a member of staff, `self.by`. The services check their powers."""

    asks_credentials = True
    authentication_classes = (StaffToken,)
    needs_own_password: ClassVar = True
    needs_second_factor: ClassVar = True
    by: StaffActor

    def identify(self, request: Request) -> dict[str, int]:
        if not isinstance(request.user, StaffActor):
            return {}
        self.by = request.user
        _prove(request)
        return {"staff": self.by.user_id, "staff_session": self.by.session_id}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        is_staff = isinstance(request.user, StaffActor)
        if is_staff and self.needs_own_password and not self.by.own_password:
            raise PasswordNotOwn
        if is_staff and self.needs_second_factor and not self.by.verified:
            raise SecondFactorNotSet
        if is_staff:
            self.need_power((request.method or "").lower())

    def need_power(self, method: str) -> None:
        """Raise PowerMissing unless the person has the power that the operation names."""
        handler = getattr(self, "get" if method == "head" else method, None)
        declared = getattr(handler, "operation", None)
        if declared and declared.power not in (SIGNED_ON, OF_ITS_KIND):
            self.by.need(declared.power)

    def acting(self, **ids: int) -> None:
        """Say who acts, also in a request that reads: a look may be recorded (`core.looks`)."""
        super().acting(**ids)
        if self.request.method in SAFE_METHODS:
            begin(self.request._request, **ids)

    def answer(self, shape: type[Shape], content: Any, status: int = 200) -> HttpResponse:
        """Return a response with `content`; record the look if it is a row of a player.

        What an act answers is on record as the act.
        """
        if self.request.method in SAFE_METHODS and isinstance(content, Guarded):
            look_at_row(content)
        return super().answer(shape, content, status)

    def rows(
        self,
        shape: type[Shape],
        rows: QuerySet[Any],
        query: dict[str, Any],
        *,
        key: str = "pk",
        newest_first: bool = False,
    ) -> HttpResponse:
        """Return one page of a query set; record the look if its rows are of players."""
        look_at_list(rows.model, asked=f"{self.request.path}?{self.request.GET.urlencode()}")
        return super().rows(shape, rows, query, key=key, newest_first=newest_first)

    def once(
        self, act: Callable[[], HttpResponse], *, without: Collection[str] = ()
    ) -> HttpResponse:
        """Run `act` in one transaction, or return its first answer again (see `idempotency`)."""
        return idempotency.once(self.request, by=self.by, act=act, without=without)

    def created_once(
        self,
        shape: type[Shape],
        service: Callable[_P, object],
        /,
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> HttpResponse:
        """Answer 201 with what the service creates from the arguments, as `once` does."""
        return self.once(lambda: self.answer(shape, service(*args, **kwargs), 201))

    def accepted_once(
        self,
        shape: type[Shape],
        service: Callable[_P, object],
        /,
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> HttpResponse:
        """Answer 202 with what the service proposes or begins, as `once` does."""
        return self.once(lambda: self.answer(shape, service(*args, **kwargs), 202))


class CredentialsView(ApiView):
    """Answer a terminal by `self.credentials`, which the service's own query resolves.

    `takes_quota` says that a request takes units of what the terminal may read, or write without
    being paid for it (`core.premises.quotas`). Each ticket that was sold pays for one
    confirmation of its print.
    """

    takes_quota: ClassVar = False
    for_terminals = True
    asks_credentials = True
    challenge = TERMINAL_SCHEME
    authentication_classes: Sequence[type[BaseAuthentication]] = (TerminalToken,)
    credentials: TerminalCredentials

    def identify(self, request: Request) -> dict[str, int]:
        self.credentials = request.auth  # type: ignore[assignment]
        return {}

    def take_quota(self, request: Request, terminal_id: int) -> None:
        """Take the units of this request. Raises Throttled."""
        if not self.takes_quota:
            return
        if request.method in SAFE_METHODS:
            reads_take(terminal_id=terminal_id)
        else:
            length = str(request.META.get("CONTENT_LENGTH") or "0")
            writes_take(
                terminal_id=terminal_id, body_bytes=int(length) if length.isdecimal() else 0
            )


class BareTerminalView(CredentialsView):
    """Answer a terminal, `self.terminal`, with or without a signed-on operator."""

    takes_quota: ClassVar = True
    terminal: BareTerminal

    def identify(self, request: Request) -> dict[str, int]:
        super().identify(request)
        self.terminal = bare_terminal(self.credentials)
        _prove(request)
        self.take_quota(request, self.terminal.terminal_id)
        return {"terminal": self.terminal.terminal_id}


class TerminalView(CredentialsView):
    """Answer an operator signed on at a terminal, `self.terminal`."""

    takes_quota: ClassVar = True
    authentication_classes = (OperatorToken,)
    terminal: TerminalActor

    def identify(self, request: Request) -> dict[str, int]:
        super().identify(request)
        self.terminal = terminal_actor(self.credentials)
        _prove(request)
        self.take_quota(request, self.terminal.terminal_id)
        return {"terminal": self.terminal.terminal_id, "operator": self.terminal.operator_id}


class LeanView(CredentialsView):
    """Answer on a terminal's hot path with Django's own request, without the framework's machinery.

    It gives the same answers to the same faults in a fraction of the time. `self.body(request,
    kind)` is the body as that `Body`, `self.credentials` are the terminal's credentials; the SQL
    function that resolves them tells the journal who acts (`core.act`).
    """

    authentication_classes: Sequence[type[BaseAuthentication]] = (OperatorToken,)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            self.check_path(kwargs)
            method = (request.method or "").lower()
            handler = getattr(self, method, None) if method in self.http_method_names else None
            if handler is None:
                raise MethodNotAllowed
            self.credentials = terminal_credentials(request.META)
            response: HttpResponseBase = handler(request, *args, **kwargs)
            standing_of(request).is_proven = True
            return response
        except Exception as error:  # noqa: BLE001  (as the framework does: each becomes an answer)
            refusal = problems.answer(error, request, challenge=self.challenge)
            if refusal.status_code == 405:
                refusal["Allow"] = ", ".join(self.allowed_methods)
            return refusal

    def body(self, request: HttpRequest, kind: type[B]) -> B:
        """Return the body of the request.

        Raises BodyTooLarge, LengthRequired, UnsupportedMediaType, MalformedJson, FieldsInvalid,
        UnknownField.
        """
        return bodies.read(kind, parsing.read_bytes(request, self.body_limit_bytes))
