"""Celery tasks of Lototrot. The database says what is due; these get it done soon."""


def register() -> None:
    """Tell the sweeper where to look for what is due."""
