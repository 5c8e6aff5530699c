from promotrot.models import emission, game, play, voucher

__all__ = ["emission", "game", "play", "voucher"]
