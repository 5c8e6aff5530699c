"""Collect the pages of Promotrot's administration, which Django finds here."""

from promotrot.admin import emissions, games, plays, vouchers

__all__ = ["emissions", "games", "plays", "vouchers"]
