"""Write the names of rows and of lists at the head of a page."""

from core.admin_support.templatetags.house import in_words
from core.premises.models import Terminal


def test_the_name_of_a_row_keeps_its_letters_and_a_list_begins_with_a_capital() -> None:
    assert in_words(Terminal(code="t-visitor")) == "t-visitor"
    assert in_words("boletos") == "Boletos"
