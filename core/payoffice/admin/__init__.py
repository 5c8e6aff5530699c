"""The prize office in the admin."""

from core.payoffice.admin import pages

__all__ = ["pages"]
