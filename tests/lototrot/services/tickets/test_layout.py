"""The digest of a ticket's layout changes with anything that is printed [E15]."""

from typing import Any

import pytest

from core.receipts import escpos
from core.receipts.document import Line
from lototrot.services.tickets import layout, slips

pytestmark = pytest.mark.article("14.II.2")


@pytest.fixture(autouse=True)
def _forgotten() -> Any:
    layout.layout_digest.cache_clear()
    yield
    layout.layout_digest.cache_clear()


def test_the_digest_is_the_same_each_time_and_of_every_language() -> None:
    first = layout.layout_digest()
    layout.layout_digest.cache_clear()
    assert layout.layout_digest() == first and len(first) == 64
    papers = {escpos.render(layout.specimen(language)) for language in ("ca", "es", "en")}
    assert len(papers) == 3


def test_a_specimen_has_the_model_s_version() -> None:
    texts = [getattr(block, "value", "") for block in layout.specimen("en").blocks]
    assert "model v0" in texts


def test_another_element_another_text_and_another_size_make_another_digest(
    monkeypatch: Any,
) -> None:
    first = layout.layout_digest()
    blocks = slips._blocks

    def more(*arguments: Any) -> Any:
        return (*blocks(*arguments), Line("Good luck"))

    with monkeypatch.context() as patch:
        patch.setattr(slips, "_blocks", more)
        layout.layout_digest.cache_clear()
        assert layout.layout_digest() != first
    with monkeypatch.context() as patch:
        patch.setattr(slips, "notices", lambda: ["Only for people over 18."])
        layout.layout_digest.cache_clear()
        assert layout.layout_digest() != first
    layout.layout_digest.cache_clear()
    assert layout.layout_digest() == first
