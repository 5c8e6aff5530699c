"""App configuration."""

from django.apps import AppConfig


class WhatifConfig(AppConfig):
    name = "core.tools.whatif"
    label = "whatif"
    verbose_name = "What if"

    def ready(self) -> None:
        from core.tools.whatif import kinds

        kinds.register()
