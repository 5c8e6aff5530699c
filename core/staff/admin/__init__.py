"""Show accounts, sessions, proposals and the log of acts in the admin, with the acts on them."""

from core.staff.admin import accounts, proposals

__all__ = ["accounts", "proposals"]
