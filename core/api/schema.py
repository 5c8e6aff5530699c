"""Write the OpenAPI document from the declaration of each operation and from common parts.

`operation` declares; `Schema` (settings: DEFAULT_SCHEMA_CLASS) turns that into OpenAPI.
"""

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from core.api import errors, idempotency
from core.api.authentication import OperatorToken, StaffToken, TerminalProof, TerminalToken
from core.api.bodies import Body, shape_of
from core.api.middleware import REQUEST_ID_HEADER, SIMULATED_HEADER, TIME_HEADER
from core.api.problems import CONTENT_TYPE, status_of
from core.api.shapes import PageQuery, Shape
from core.kernel.errors import DomainError, Unavailable
from core.looks.recording import LookNotRecorded
from core.premises.access import (
    OperatorSessionExpired,
    OperatorSessionUnknown,
    TerminalCopied,
    TerminalRevoked,
    TerminalUnknown,
    TokenExpired,
    TokenReplaced,
)
from core.premises.proving import ProofMissing, ProofRefused, ProofUsed
from core.staff.actor import PowerMissing
from core.staff.services import SessionExpired, SessionUnknown
from core.traffic.limits import Throttled

Problems = Sequence[type[DomainError]]
Handler = TypeVar("Handler", bound=Callable[..., Any])
METHODS_WITH_BODY = ("post", "put", "patch")
SIGNED_ON = "-"
"""In place of a power: each person who is signed on may do it."""
AGAIN = {200: "The same request was sent before. This is its answer, once more."}
PROPOSED = {202: "It is proposed, and done when another person confirms it."}
OF_ITS_KIND = "*"
"""In place of a power: that of the kind of the proposal (`core.staff.two_persons`)."""


class Problem(Shape):
    """An RFC 9457 error with `code` (stable), `transient` (may be retried unchanged) and `data`."""

    type = serializers.CharField(help_text="Address of a description of this code.")
    title = serializers.CharField(help_text="In the language of the request.")
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField(help_text="Stable; what programs should look at.")
    instance = serializers.CharField(help_text="The path of the request.")
    request_id = serializers.CharField(help_text="Finds the request in the logs.")
    transient = serializers.BooleanField(help_text="The same request may succeed later.")
    data = serializers.DictField(  # type: ignore[assignment]
        required=False, help_text="Depends on the code."
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Operation:
    """The declaration of an operation. `answer` None means 204 without a body.

    `power` is what a member of staff needs for it, SIGNED_ON or OF_ITS_KIND; each operation of a
    `StaffView` names one, and is refused without it before anything else of the request is read.
    `capability` is what the premises of a terminal need (`core.premises.access.Capability`).
    `further` has the other statuses of success with the same answer, and when each comes.
    `forms` are the forms of a paper that the body may ask for in place of JSON.
    """

    summary: str
    description: str = ""
    power: str = ""
    capability: str = ""
    answer: type[serializers.Serializer[Any]] | None = None
    status: int = 200
    further: Mapping[int, str] = dataclasses.field(default_factory=dict)
    forms: Sequence[Any] = ()
    body: type[serializers.Serializer[Any]] | type[Body] | None = None
    query: type[Shape] | None = None
    paged: bool = False
    problems: Problems = ()
    idempotent: bool = False
    example: Mapping[str, Any] | None = None
    answer_example: Mapping[str, Any] | None = None
    media_type: str = "application/json"
    body_media_types: Sequence[str] = ("application/json",)


def operation(summary: str, description: str = "", **fields: Any) -> Callable[[Handler], Handler]:
    """Declare a handler's operation: the fields of `Operation`.

    `problems` are the errors of its service; those of its authentication, its shape and the system
    are added. `example` and `answer_example` are the bodies shown.
    """

    def declare(handler: Handler) -> Handler:
        handler.operation = Operation(summary, description, **fields)  # type: ignore[attr-defined]
        return handler

    return declare


def page_shape(shape: type[serializers.Serializer[Any]]) -> type[serializers.Serializer[Any]]:
    """Return the shape of one page of a list."""
    members = {
        "items": shape(many=True),
        "next": serializers.CharField(
            allow_null=True, help_text="The cursor of the next page; null when this is the last."
        ),
    }
    return type(f"{shape.__name__.removesuffix('Out')}Page", (serializers.Serializer,), members)


class Schema(AutoSchema):
    """Describe an operation in OpenAPI from its `Operation`."""

    @property
    def _operation(self) -> Operation:
        handler = getattr(self.view, self.method.lower(), None)
        return getattr(handler, "operation", None) or Operation(summary="")

    @property
    def _forms(self) -> Sequence[Any]:
        """Return the forms of a paper (`core.api.papers.Form`); none for any other operation."""
        return getattr(self.view, "forms", ())

    def _success(self, declared: Operation) -> int:
        empty = declared.answer is None and not self._forms
        return 204 if empty and declared.status == 200 else declared.status

    def get_serializer_name(self, serializer: Any, direction: Any) -> str:
        """Return `PremisesRequest` for `PremisesIn`, and `Premises` for `PremisesOut`."""
        name: str = super().get_serializer_name(serializer, direction)
        return re.sub(r"(In|Out)$", "", name)

    def get_operation_id(self) -> str:
        words = [w for w in re.split(r"[/{}._-]+", self.path.removeprefix("/api/v1/")) if w]
        return "_".join([*words, self.method.lower()])

    def get_summary(self) -> str | None:
        return self._operation.summary or None

    def get_description(self) -> str:  # type: ignore[override]
        return self._operation.description

    def get_tags(self) -> list[str]:
        return [self.path.removeprefix("/api/v1/").split("/")[0]]

    def get_request_serializer(self) -> Any:
        declared = self._operation
        if self.method.lower() not in METHODS_WITH_BODY:
            return None
        body = declared.body
        if body is not None and issubclass(body, Body):
            body = shape_of(body)
        return dict.fromkeys(declared.body_media_types, body) if body else None

    def get_response_serializers(self) -> Any:
        declared = self._operation
        if self._forms:
            main: dict[Any, Any] = {
                (declared.status, form.media_type): OpenApiResponse(form.answer, "")
                for form in self._forms
            }
        elif declared.answer is None:
            main = {self._success(declared): OpenApiResponse(description="Done")}
        else:
            shape = page_shape(declared.answer) if declared.paged else declared.answer
            main = {(declared.status, declared.media_type): OpenApiResponse(shape, "")}
            for status, words in declared.further.items():
                main[(status, declared.media_type)] = OpenApiResponse(shape, words)
            for form in declared.forms:
                main[(declared.status, form.media_type)] = OpenApiResponse(form.answer, "")
        by_status: dict[int, list[type[DomainError]]] = {}
        for problem in self._problems(declared):
            by_status.setdefault(status_of(problem), []).append(problem)
        for status, kinds in sorted(by_status.items()):
            words = "\n".join(f"* `{kind.code}`: {kind.message}" for kind in kinds)
            main[(status, CONTENT_TYPE)] = OpenApiResponse(Problem, words)
        return main

    def _problems(self, declared: Operation) -> list[type[DomainError]]:
        kinds: list[type[DomainError]] = [*declared.problems]
        schemes = [type(scheme) for scheme in self.view.get_authenticators()]
        if StaffToken in schemes:
            kinds += [errors.CredentialsMissing, SessionUnknown, SessionExpired, PowerMissing]
            kinds.append(LookNotRecorded)
        if any(issubclass(scheme, TerminalToken) for scheme in schemes):
            kinds += [errors.CredentialsMissing, TerminalUnknown, TokenReplaced]
            kinds += [TerminalRevoked, TerminalCopied]
            proven = TerminalProof in schemes
            kinds += [ProofMissing, ProofRefused, ProofUsed] if proven else [TokenExpired]
        if OperatorToken in schemes:
            kinds += [OperatorSessionUnknown, OperatorSessionExpired]
        takes_body = (
            self.method.lower() in METHODS_WITH_BODY
        )  # also where none is declared: it is refused
        if self.method.lower() != "get":
            kinds += [errors.LengthRequired, errors.BodyTooLarge]
        if takes_body:
            kinds += [errors.MalformedJson, errors.UnsupportedMediaType]
        if takes_body or declared.query or declared.paged:
            kinds += [errors.FieldsInvalid, errors.UnknownField]
        if declared.paged:
            kinds.append(errors.CursorInvalid)
        if declared.idempotent:
            kinds += [errors.IdempotencyKeyInvalid, errors.IdempotencyKeyReused]
        if not getattr(self.view, "for_terminals", False):
            kinds.append(errors.Misdirected)
        kinds += [Throttled, errors.Busy, Unavailable, errors.InternalError]
        return list(dict.fromkeys(kinds))

    def get_override_parameters(self) -> list[Any]:
        declared = self._operation
        parameters: list[Any] = []
        query = declared.query or (PageQuery if declared.paged else None)
        if query:
            parameters.append(query)
        if self._forms:
            parameters.append(
                OpenApiParameter(
                    "form",
                    str,
                    OpenApiParameter.PATH,
                    enum=[form.name for form in self._forms],
                    description="The form of the paper; each has its own media type.",
                )
            )
        if declared.idempotent:
            parameters.append(
                OpenApiParameter(
                    idempotency.HEADER,
                    str,
                    OpenApiParameter.HEADER,
                    description="8 to 128 printable characters. A retry with the same key gets the"
                    " first answer; names of persons are empty in it.",
                )
            )
        for name, words in (
            (TIME_HEADER, "The system's clock, RFC 3339 in UTC."),
            (SIMULATED_HEADER, "Only on simulated time: its offset, an ISO 8601 duration."),
            (REQUEST_ID_HEADER, "The caller's id of the request, or one made here."),
        ):
            parameters.append(
                OpenApiParameter(
                    name,
                    str,
                    OpenApiParameter.HEADER,
                    response=[self._success(declared), *declared.further],
                    description=words,
                )
            )
        return parameters

    def _get_serializer_field_meta(self, field: Any, direction: Any) -> dict[str, Any]:
        """Leave out a default that the field would refuse: without a value it is as if absent."""
        meta: dict[str, Any] = super()._get_serializer_field_meta(  # type: ignore[no-untyped-call]
            field, direction
        )
        if meta.get("default") == "":
            del meta["default"]
        return meta

    def get_examples(self) -> list[Any]:
        declared = self._operation
        examples = []
        if declared.example is not None:
            examples.append(
                OpenApiExample("request", value=dict(declared.example), request_only=True)
            )
        if declared.answer_example is not None:
            examples.append(
                OpenApiExample(
                    "answer",
                    value=dict(declared.answer_example),
                    response_only=True,
                    status_codes=[str(declared.status)],
                )
            )
        return examples
