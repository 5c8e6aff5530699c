"""Show the prize office in the admin."""

from core.payoffice.admin import cheques, desk, pages

__all__ = ["cheques", "desk", "pages"]
