"""Require that an act states its reason, its source, or the authorisation that it needs."""

from core.kernel.errors import Invalid


class SourceMissing(Invalid):
    code = "source_missing"
    message = "The source of the report must be on record."


class ReasonMissing(Invalid):
    code = "reason_missing"
    message = "The reason must be on record."


class AuthorisationMissing(Invalid):
    code = "authorisation_missing"
    message = "The reference of the authority's authorisation is needed (14.II.2, 14.III.7)."


def need_source(source: str) -> None:
    """Raise SourceMissing if the source is empty."""
    if not source.strip():
        raise SourceMissing


def need_reason(reason: str) -> None:
    """Raise ReasonMissing if the reason is empty."""
    if not reason.strip():
        raise ReasonMissing


def need_authorisation(reference: str) -> None:
    """Raise AuthorisationMissing if the reference is empty."""
    if not reference.strip():
        raise AuthorisationMissing
