"""Define the base of forms whose content two persons authorise: drafts, texts and files."""

from codecs import BOM_UTF8
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminFileFieldWidget

from core.admin_support.forms import ActForm
from core.api import parsing
from core.api.errors import MalformedJson
from core.kernel.languages import LANGUAGES
from core.staff.models import Proposal

RULES = tuple(f"rules_{code}" for code in LANGUAGES)
_MAX_FILE_BYTES = 200_000
_MAX_RULES_CHARS = 20_000


class BuildingForm(ActForm):
    """A form whose content is proposed, and corrected while it waits.

    `kind` is the kind of proposal. `?draft=` names the one to correct: `draft`, or None.
    """

    kind: ClassVar[str]
    draft: Proposal | None

    def find_draft(self) -> None:
        """Set `draft` to the proposal that waits and that is corrected."""
        waiting = Proposal.objects.filter(kind=self.kind, decided=False)
        draft = self.asked.get("draft")
        self.draft = next((one for one in waiting if str(one.uuid) == draft), None)

    def add_rules(self, *, rows: int = 4, required: bool = False) -> None:
        """Add a field for the text of the rules in each language."""
        for name, (_code, language) in zip(RULES, settings.LANGUAGES, strict=True):
            self.fields[name] = forms.CharField(
                label=_("Rules in %(language)s") % {"language": language},
                max_length=_MAX_RULES_CHARS,
                required=required,
                widget=forms.Textarea(attrs={"rows": rows}),
            )

    def rules_texts(self) -> dict[str, str]:
        """Return the texts of the rules that were filled in, by language."""
        return {code: self.cleaned_data.get(f"rules_{code}", "") for code in LANGUAGES}


class DocumentFileForm(ActForm):
    """A file with the document in place of the form's fields. Its clean value is the document."""

    file = forms.FileField(
        label=_("File"), widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".json"})
    )

    def clean_file(self) -> Any:
        try:
            content = self.cleaned_data["file"].read(_MAX_FILE_BYTES)
            document = parsing.loads(content.removeprefix(BOM_UTF8))
        except MalformedJson as error:
            raise ValidationError(gettext("This is not JSON.")) from error
        if not isinstance(document, dict):
            raise ValidationError(gettext("This is not a JSON object."))
        return document
