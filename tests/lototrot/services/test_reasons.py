"""An act states its reason, its source, or the authorisation that it needs."""

import pytest

from lototrot.services.reasons import (
    AuthorisationMissing,
    ReasonMissing,
    SourceMissing,
    need_authorisation,
    need_reason,
    need_source,
)


@pytest.mark.parametrize("text", ["", "  "])
def test_source_and_reason_are_not_empty(text: str) -> None:
    with pytest.raises(SourceMissing):
        need_source(text)
    with pytest.raises(ReasonMissing):
        need_reason(text)
    need_source("Starter")
    need_reason("Storm")


@pytest.mark.parametrize("reference", ["", "  "])
def test_an_authorisation_has_a_reference(reference: str) -> None:
    with pytest.raises(AuthorisationMissing):
        need_authorisation(reference)
    need_authorisation("CAIB 1/2006")
