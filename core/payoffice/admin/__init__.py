"""Show the prize office in the admin."""

from core.payoffice.admin import desk, pages

__all__ = ["desk", "pages"]
