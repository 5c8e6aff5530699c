"""An act states its reason, or the source of what it reports."""

import pytest

from lototrot.services.reasons import ReasonMissing, SourceMissing, need_reason, need_source


@pytest.mark.parametrize("text", ["", "  "])
def test_source_and_reason_are_not_empty(text: str) -> None:
    with pytest.raises(SourceMissing):
        need_source(text)
    with pytest.raises(ReasonMissing):
        need_reason(text)
    need_source("Starter")
    need_reason("Storm")
