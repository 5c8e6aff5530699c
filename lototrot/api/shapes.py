"""Define the field types that only Lototrot's bodies have."""

import unicodedata
from typing import Any

from core.api.shapes import Text


class Paragraphs(Text):
    """A JSON text of several lines. It allows line feeds and tabs and refuses other controls."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("type")
        if any(unicodedata.category(char) == "Cc" and char not in "\n\t" for char in data):
            self.fail("control_character")
        return data
