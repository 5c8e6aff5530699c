"""Show premises in the admin, with the acts on them."""

from core.premises.admin import pages

__all__ = ["pages"]
