"""App configuration."""

from django.apps import AppConfig


class ArticlesConfig(AppConfig):
    name = "core.tools.articles"
    label = "articles"
