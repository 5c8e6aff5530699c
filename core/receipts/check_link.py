"""Make the address that the symbol of a ticket or voucher leads to."""

from django.conf import settings

from core.kernel.codes import Code


def check_link(code: Code) -> str:
    """Return the page that shows the state of a code, with the code after `#`.

    Browsers send nothing after `#`, so no request and no log carries the code. Without a
    `CHECK_URL` the text is only the code. `core.kernel.codes.parse` reads both.
    """
    return f"{settings.CHECK_URL}#{code.text}" if settings.CHECK_URL else code.text
