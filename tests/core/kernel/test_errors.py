"""Check the base classes of domain errors."""

import pytest

from core.kernel import errors

CATEGORIES = errors.DomainError.__subclasses__()


class StockEmpty(errors.Conflict):
    code = "stock_empty"
    message = "The stock is empty."


def test_an_error_has_its_message_and_data() -> None:
    error = StockEmpty(item="mug", left=0)
    assert (error.detail, str(error)) == ("The stock is empty.", "The stock is empty.")
    assert error.data == {"item": "mug", "left": 0}


def test_a_detail_replaces_the_message_of_one_error_only() -> None:
    assert StockEmpty("No mugs are left.").detail == "No mugs are left."
    assert StockEmpty().detail == StockEmpty.message


def test_only_unavailable_may_be_repeated() -> None:
    assert [kind.__name__ for kind in errors.DomainError.__subclasses__() if kind.transient] == [
        "Unavailable"
    ]
    assert not StockEmpty.transient


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_category_has_a_code_and_a_sentence(category: type[errors.DomainError]) -> None:
    assert category.code != errors.DomainError.code
    assert category.message.endswith(".")
