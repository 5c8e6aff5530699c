from promotrot.admin import words  # first: it names the fields that the pages show

# isort: split
from promotrot.admin import emissions, games, plays

__all__ = ["emissions", "games", "plays", "words"]
