"""The theme's texts speak Catalan and Spanish, too: those of the installed version, all of them."""

import gettext as gettext_files
from collections.abc import Iterator
from pathlib import Path

import pytest
import unfold
from babel.messages.catalog import Message
from django.conf import settings
from django.utils.translation import gettext, ngettext, override, trans_real

from core.tools.catalogues.catalogues import compile_all, extract

# On pages that this project never shows: forms that write rows, crispy forms, datasets, images.
NEVER_SHOWN = (
    "templates/unfold_crispy/",
    "templates/admin/auth/user/",
    "mixins/dataset_model_admin.py",
    "mixins/nested_inlines_model_admin.py",
    "mixins/formfield_model_admin.py",
    "forms.py",
    "widgets.py",
    "templates/unfold/helpers/edit_inline/inline_delete",
    "contrib/",
    "templates/unfold/helpers/field_readonly_value_file.html",
    "templates/unfold/widgets/",
    "templates/unfold/helpers/display_header.html",
    "templates/unfold/helpers/dialog.html",
    "templates/unfold/helpers/edit_inline/",
    "templates/admin/delete_",
)
SAME_IN = {
    "ca": {"General", "No", "Error"},
    "es": {"General", "No", "Error", "%(full_result_count)s total"},
}


@pytest.fixture(scope="module")
def messages() -> list[Message]:
    """Return the texts of the theme that people see."""
    if compile_all(settings.BASE_DIR):
        gettext_files._translations.clear()
        trans_real._translations.clear()
    return [*_seen()]


def _seen() -> Iterator[Message]:
    for message in extract(Path(unfold.__file__).parent):
        places = [place for place, _ in message.locations]
        if message.id and not all(place.startswith(NEVER_SHOWN) for place in places):
            yield message


@pytest.mark.parametrize("language", ["ca", "es"])
def test_every_text_of_the_theme_is_translated(messages: list[Message], language: str) -> None:
    untranslated = []
    with override(language):
        for message in messages:
            if isinstance(message.id, str):
                one, translation = message.id, gettext(message.id)
            else:
                one, translation = message.id[0], ngettext(*message.id, 1)
            if translation == one and one not in SAME_IN[language]:
                untranslated.append(one)
    assert untranslated == []
