"""Define the field types that only Lototrot's bodies have."""

from typing import Any

from core.api.shapes import Text
from core.kernel.texts import invisible_at


class Paragraphs(Text):
    """A JSON text of several lines. It allows line feeds and tabs, and no others that hide."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("type")
        if invisible_at(data, but="\n\t") is not None:
            self.fail("control_character")
        return data
