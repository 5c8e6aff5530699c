"""Check the errors of HTTP requests: their statuses, their transience and faulty fields."""

import pytest
from rest_framework.exceptions import ErrorDetail

from core.api import errors
from core.api.problems import fields_invalid, status_of
from core.kernel.errors import DomainError

CLASSES = sorted(
    (
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type)
        and issubclass(kind, DomainError)
        and kind.__module__ == errors.__name__
    ),
    key=lambda kind: kind.code,
)
STATUSES = {
    "bad_request": 400,
    "body_too_large": 413,
    "busy": 503,
    "credentials_missing": 401,
    "cursor_invalid": 422,
    "fields_invalid": 422,
    "idempotency_key_invalid": 422,
    "idempotency_key_reused": 409,
    "internal_error": 500,
    "length_required": 411,
    "malformed_json": 400,
    "method_not_allowed": 405,
    "misdirected": 421,
    "not_acceptable": 406,
    "problem_unknown": 404,
    "route_unknown": 404,
    "unknown_field": 422,
    "unsupported_media_type": 415,
}


def test_every_error_of_a_request_has_its_status() -> None:
    assert {kind.code: status_of(kind) for kind in CLASSES} == STATUSES


def test_a_request_may_be_sent_again_only_after_busy() -> None:
    assert {kind for kind in CLASSES if kind.transient} == {errors.Busy}


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        (["unknown_field"], errors.UnknownField),
        (["unknown_field", "required"], errors.FieldsInvalid),
        (["required"], errors.FieldsInvalid),
    ],
)
def test_unknown_fields_have_their_own_code_if_nothing_else_is_wrong(
    codes: list[str], kind: type[DomainError]
) -> None:
    details = {f"field_{code}": [ErrorDetail("Wrong.", code=code)] for code in codes}
    error = fields_invalid(details)
    assert type(error) is kind
    assert isinstance(error, errors.FieldsInvalid)
    assert {entry["code"] for entry in error.data["errors"]} == set(codes)
