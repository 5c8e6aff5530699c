"""Turn every error into RFC 9457 `application/problem+json`. Only this module maps HTTP
statuses.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import psycopg
import structlog
from django.core.exceptions import BadRequest as DjangoBadRequest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.utils.translation import gettext
from rest_framework import exceptions as drf
from rest_framework.request import Request

from core.api import errors
from core.database.statements import is_read_only
from core.kernel.errors import (
    Conflict,
    DomainError,
    Forbidden,
    Invalid,
    InvariantBroken,
    NotFound,
    Unauthenticated,
    Unavailable,
)
from core.traffic.limits import Throttled

CONTENT_TYPE = "application/problem+json"
TYPE_PREFIX = "/api/v1/problems/"
STATUSES: dict[type[DomainError], int] = {
    Invalid: 422,
    Unauthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    Unavailable: 503,
    InvariantBroken: 500,
    errors.BadRequest: 400,
    errors.MalformedJson: 400,
    errors.MethodNotAllowed: 405,
    errors.NotAcceptable: 406,
    errors.LengthRequired: 411,
    errors.BodyTooLarge: 413,
    errors.UnsupportedMediaType: 415,
    errors.Misdirected: 421,
    Throttled: 429,
    DomainError: 500,
}
RETRY_AFTER_S = {errors.Busy: 1, Unavailable: 5}
# States of PostgreSQL after which the same request may succeed: lock timeout, deadlock,
# serialisation failure, cancelled. _AWAY_CLASSES: connection lost, no resources, shutting down.
_BUSY_STATES = frozenset({"55P03", "40P01", "40001", "57014"})
_AWAY_CLASSES = ("08", "53", "57P", "58")

log = structlog.get_logger("problem")


def status_of(kind: type[DomainError]) -> int:
    """Return the HTTP status of a class of errors: its own, or that of its nearest base class."""
    return next(STATUSES[base] for base in kind.__mro__ if base in STATUSES)


def domain_error(exc: BaseException) -> DomainError:
    """Return any exception as a domain error; an unexpected one becomes InternalError."""
    if isinstance(exc, DomainError):
        return exc
    if isinstance(exc, drf.APIException):
        return _of_framework(exc)
    if isinstance(exc, Http404):
        return errors.RouteUnknown()
    if isinstance(exc, RequestDataTooBig):
        return errors.BodyTooLarge()
    if isinstance(exc, PermissionDenied):
        return Forbidden()
    if isinstance(exc, SuspiciousOperation | DjangoBadRequest | UnreadablePostError):
        return errors.BadRequest()
    if isinstance(exc, OperationalError | InterfaceError | psycopg.OperationalError):
        return _of_database(exc)
    if _is_cut_off(exc):
        return Unavailable()
    if is_read_only(exc):
        return Unavailable()
    return errors.InternalError()


def _is_cut_off(exc: BaseException) -> bool:
    """Return whether the server ended the session while it answered, as on a full disk.

    psycopg then raises its bare DatabaseError, without a state.
    """
    return any(type(each) is psycopg.DatabaseError for each in (exc, exc.__cause__))


def _of_database(exc: BaseException) -> DomainError:
    cause = exc if isinstance(exc, psycopg.Error) else exc.__cause__
    state = getattr(cause, "sqlstate", None)
    if state in _BUSY_STATES:
        return errors.Busy()
    if state is None or state.startswith(_AWAY_CLASSES):
        return Unavailable()
    return errors.InternalError()


def _of_framework(exc: drf.APIException) -> DomainError:
    match exc:
        case drf.ValidationError():
            return fields_invalid(exc.detail)
        case drf.ParseError():
            return errors.MalformedJson()
        case drf.UnsupportedMediaType():
            return errors.UnsupportedMediaType()
        case drf.NotAcceptable():
            return errors.NotAcceptable()
        case drf.MethodNotAllowed():
            return errors.MethodNotAllowed()
        case drf.NotAuthenticated() | drf.AuthenticationFailed():
            return errors.CredentialsMissing()
        case drf.PermissionDenied():
            return Forbidden()
        case drf.NotFound():
            return errors.RouteUnknown()
        case drf.Throttled():
            return Throttled(getattr(exc, "wait", None) or 1)
    return errors.InternalError()


def fields_invalid(detail: Any) -> errors.FieldsInvalid:
    """Return the framework's nested errors as one flat list, each with its place (`$.legs[2]`)."""
    faults = list(_flatten(detail, "$"))
    unknown = {"unknown_field"} == {fault["code"] for fault in faults}
    return (errors.UnknownField if unknown else errors.FieldsInvalid)(errors=faults)


def _flatten(detail: Any, place: str) -> Iterator[dict[str, str]]:
    if isinstance(detail, Mapping):
        for key, inner in detail.items():
            if key == "non_field_errors":
                yield from _flatten(inner, place)
            else:
                step = f"[{key}]" if isinstance(key, int) else f".{key[:100]}"
                yield from _flatten(inner, place + step)
    elif isinstance(detail, list):
        for index, inner in enumerate(detail):
            nested = isinstance(inner, Mapping | list)
            yield from _flatten(inner, f"{place}[{index}]" if nested else place)
    else:
        yield {"place": place, "code": getattr(detail, "code", "invalid"), "detail": str(detail)}


def answer(exc: BaseException, request: HttpRequest, *, challenge: str = "Bearer") -> HttpResponse:
    """Return the response to an exception. A fault of the program is logged and not shown.

    `challenge` is the scheme of WWW-Authenticate. The title is in the request's language; so is the
    detail, unless the error carries its own sentence, which is English.
    """
    error = domain_error(exc)
    status = status_of(type(error))
    request_id = getattr(request, "request_id", "")
    title = gettext(error.message)
    body: dict[str, Any] = {
        "type": TYPE_PREFIX + error.code,
        "title": title,
        "status": status,
        "detail": title if error.detail == error.message else error.detail,
        "code": error.code,
        "instance": request.path,
        "request_id": request_id,
        "transient": error.transient,
    }
    if status == 500:
        body["detail"] = title
        log.error("fault", code=error.code, exc_info=exc, data=error.data or None)
    else:
        if error.data:
            body["data"] = error.data
        if status == 503:
            log.warning("unavailable", code=error.code, cause=type(exc).__name__)
    response = HttpResponse(
        json.dumps(body, default=_plain, ensure_ascii=False),
        content_type=CONTENT_TYPE,
        status=status,
    )
    request.problem_code = error.code  # type: ignore[attr-defined]  # for the request's log line
    _headers(response, error, exc, challenge)
    return response


def plain_body(kind: type[DomainError]) -> bytes:
    """Return the body of a refusal, in English, for a request that is not looked at any further."""
    return json.dumps(
        {
            "type": TYPE_PREFIX + kind.code,
            "title": kind.message,
            "status": status_of(kind),
            "detail": kind.message,
            "code": kind.code,
            "instance": "",
            "request_id": "",
            "transient": kind.transient,
        }
    ).encode()


def _headers(
    response: HttpResponse, error: DomainError, exc: BaseException, challenge: str
) -> None:
    if response.status_code == 401:
        response["WWW-Authenticate"] = f'{challenge} realm="lototrot"'
    if isinstance(error, Unavailable):
        waits = (RETRY_AFTER_S[b] for b in type(error).__mro__ if b in RETRY_AFTER_S)
        response["Retry-After"] = str(getattr(error, "wait", None) or next(waits))


def _plain(value: Any) -> Any:
    """Return as JSON a value of an error's data that JSON has no type for."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return list(value)
    return str(value)


def exception_handler(exc: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """Answer exceptions for Django REST framework (settings: EXCEPTION_HANDLER)."""
    request: Request = context["request"]
    view = context["view"]
    response = answer(exc, request._request, challenge=getattr(view, "challenge", "Bearer"))
    if response.status_code == 405:
        response["Allow"] = ", ".join(view.allowed_methods)
    return response
