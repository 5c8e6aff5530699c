"""Write the names of rows and of lists at the head of a page."""

import uuid

from core.admin_support.templatetags.house import in_words
from lototrot.models.tickets import Ticket


def test_the_name_of_a_row_keeps_its_letters_and_a_list_begins_with_a_capital() -> None:
    ident = uuid.UUID("ea6310fb-d278-4640-a31c-a0b91dcdc8c9")
    assert in_words(Ticket(uuid=ident)) == str(ident)
    assert in_words("boletos") == "Boletos"
