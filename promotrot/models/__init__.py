"""Collect the models of Promotrot, which Django finds here."""

from promotrot.models import debt, emission, game, play, retired, valuation, voucher

__all__ = ["debt", "emission", "game", "play", "retired", "valuation", "voucher"]
