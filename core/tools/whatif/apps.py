"""App configuration."""

from django.apps import AppConfig


class WhatifConfig(AppConfig):
    name = "core.tools.whatif"
    label = "whatif"
    verbose_name = "What if"
