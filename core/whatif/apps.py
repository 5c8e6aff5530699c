"""App configuration."""

from django.apps import AppConfig


class WhatifConfig(AppConfig):
    name = "core.whatif"
    label = "whatif"
    verbose_name = "What if"

    def ready(self) -> None:
        from core.whatif import kinds

        kinds.register()
