"""Fields that only this game's bodies have."""

import unicodedata
from typing import Any

from core.api.shapes import Text


class Paragraphs(Text):
    """A JSON text of several lines: line feeds and tabs are allowed, other controls are not."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("type")
        if any(unicodedata.category(each) == "Cc" and each not in "\n\t" for each in data):
            self.fail("control_character")
        return data
