"""Require that an act states its reason, or the source of what it reports."""

from core.kernel.errors import Invalid


class SourceMissing(Invalid):
    code = "source_missing"
    message = "The source of the report must be on record."


class ReasonMissing(Invalid):
    code = "reason_missing"
    message = "The reason must be on record."


def need_source(source: str) -> None:
    """Raise SourceMissing if the source is empty."""
    if not source.strip():
        raise SourceMissing


def need_reason(reason: str) -> None:
    """Raise ReasonMissing if the reason is empty."""
    if not reason.strip():
        raise ReasonMissing
