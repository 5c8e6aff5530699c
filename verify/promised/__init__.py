"""Compute what a game promised, for emissions.py."""
