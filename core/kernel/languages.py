"""List the languages in which the system speaks to people. Settings have their names."""

from typing import Final

LANGUAGES: Final = ("ca", "es", "en")
"""The first is used where nobody has chosen one."""
