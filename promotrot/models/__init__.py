from promotrot.models import emission, game

__all__ = ["emission", "game"]
