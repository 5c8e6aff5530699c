"""Premises, terminals, operators and suspensions in the admin."""

from core.premises.admin import pages

__all__ = ["pages"]
