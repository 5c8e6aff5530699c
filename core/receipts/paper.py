"""Name the papers that a document is printed on, with their sizes."""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Sheet:
    """Describe a sheet: sizes in millimetres, the font in points."""

    width_mm: float
    height_mm: float | None  # None: as long as the content
    margin_mm: float
    font_points: float
    qr_mm: float


class Paper(Enum):
    """The paper that the document is printed on."""

    ROLL_80 = Sheet(80, None, 4, 9, 42)
    A4 = Sheet(210, 297, 15, 12, 60)
