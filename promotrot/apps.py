"""App configuration."""

from django.apps import AppConfig


class PromotrotConfig(AppConfig):
    name = "promotrot"
    verbose_name = "Promotrot"
