"""Define the errors of HTTP requests, before any rule applies, and of the system itself."""

from core.kernel.errors import (
    Conflict,
    DomainError,
    Invalid,
    NotFound,
    Unauthenticated,
    Unavailable,
)


class BadRequest(Invalid):
    code = "bad_request"
    message = "The HTTP request is not acceptable."


class MalformedJson(Invalid):
    code = "malformed_json"
    message = "The body is not one JSON document in UTF-8."


class LengthRequired(Invalid):
    code = "length_required"
    message = "The length of the body must be declared (Content-Length); chunks are not read."


class BodyTooLarge(Invalid):
    code = "body_too_large"
    message = "The body is larger than this resource accepts."


class UnsupportedMediaType(Invalid):
    code = "unsupported_media_type"
    message = "The body must have another Content-Type."


class NotAcceptable(Invalid):
    code = "not_acceptable"
    message = "No representation fits the Accept header."


class MethodNotAllowed(Invalid):
    code = "method_not_allowed"
    message = "This resource does not answer that method."


class FieldsInvalid(Invalid):
    """Fields are missing or wrong. `data["errors"]` has one `{place, code, detail}` for each."""

    code = "fields_invalid"
    message = "Some fields of the request are missing or wrong."


class UnknownField(FieldsInvalid):
    """Unknown fields are the only fault of the request."""

    code = "unknown_field"
    message = "The request has fields that this resource does not know."


class CursorInvalid(Invalid):
    code = "cursor_invalid"
    message = "The cursor is not one that this list has given."


class IdempotencyKeyInvalid(Invalid):
    code = "idempotency_key_invalid"
    message = "An Idempotency-Key has 8 to 128 printable ASCII characters."


class IdempotencyKeyReused(Conflict):
    code = "idempotency_key_reused"
    message = "That Idempotency-Key has already been used for another request."


class CredentialsMissing(Unauthenticated):
    code = "credentials_missing"
    message = "The Authorization header that this resource asks for is missing or malformed."


class RouteUnknown(NotFound):
    code = "route_unknown"
    message = "There is no resource at that address."


class ProblemUnknown(NotFound):
    code = "problem_unknown"
    message = "No problem code has that name."


class Misdirected(Invalid):
    code = "misdirected"
    message = "This address answers terminals only. Send the request to the public address."


class Busy(Unavailable):
    """A lock timed out, or PostgreSQL ended a deadlock. Nothing was written."""

    code = "busy"
    message = "The system is busy with the same thing; try again."


class InternalError(DomainError):
    """The program has a fault. The answer gives the id of the log entry and no details."""

    code = "internal_error"
    message = "Something went wrong here; it has been recorded."
