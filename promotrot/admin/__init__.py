from promotrot.admin import emissions, games, plays

__all__ = ["emissions", "games", "plays"]
