from promotrot.admin import emissions, games, plays, vouchers

__all__ = ["emissions", "games", "plays", "vouchers"]
