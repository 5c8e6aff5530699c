"""What every test stands on. The databases follow as soon as the settings load."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "article(*numbers): the articles of the regulation that the test proves"
    )
