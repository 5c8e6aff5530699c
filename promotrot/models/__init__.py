from promotrot.models import debt, emission, game, play, voucher

__all__ = ["debt", "emission", "game", "play", "voucher"]
