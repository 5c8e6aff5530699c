"""Show public draws in the admin."""

from core.draws.admin import pages

__all__ = ["pages"]
