"""App configuration."""

from django.apps import AppConfig


class ProofsConfig(AppConfig):
    name = "core.proofs"
    label = "proofs"
    verbose_name = "Proofs"
