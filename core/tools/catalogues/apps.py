"""Configure the app of the message catalogues."""

from django.apps import AppConfig


class I18nConfig(AppConfig):
    """The app of the commands that make, check and compile the message catalogues. It has no
    models.
    """

    name = "core.tools.catalogues"
