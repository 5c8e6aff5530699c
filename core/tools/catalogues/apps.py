from django.apps import AppConfig


class I18nConfig(AppConfig):
    """The commands that make, check and compile the message catalogues. No models."""

    name = "core.tools.catalogues"
