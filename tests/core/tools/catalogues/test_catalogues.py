"""Catalogues made, checked and compiled; and those of this project complete."""

import ast
import gettext
import io
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po
from django.conf import settings
from django.core.management import CommandError, call_command

from core.tools.catalogues import catalogues

SOURCE = """
from django.utils.translation import gettext_lazy as _, ngettext, pgettext_lazy

def f(n):
    a = _("Race")
    b = _("Sold %(count)s " "tickets")
    c = ngettext("%(n)d bet", "%(n)d bets", n)
    d = pgettext_lazy("of money", "Order")
    e = pgettext_lazy("of places", "Order")
    g = _("At least 60 % of the takings")
    return _("Hello {name}"), _(variable), f"{_('Nested')}"
"""
TEMPLATE = """{% load i18n %}
<h1>{% translate "Programme" %}</h1>
    {% blocktranslate count n=n trimmed %}
      It's {{ n }} horse
  {% plural %}
      They're {{ n }} horses
    {% endblocktranslate %}
  <p title="{{ _('Closed') }}">{% translate "Order" context "of money" %} it's "odd {</p>
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    package = tmp_path / "shop"
    (package / "templates" / "shop").mkdir(parents=True)
    (package / "migrations").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "example.py").write_text('_("Not of a package")')
    (package / "__init__.py").touch()
    (package / "migrations" / "0001.py").write_text('_("Old")')
    (package / "code.py").write_text(SOURCE)
    (package / "templates" / "shop" / "page.html").write_text(TEMPLATE)
    return tmp_path


def po(project: Path, language: str) -> Path:
    return catalogues.po_path(project / "shop", language)


def translate(project: Path, language: str, replace: str, by: str) -> None:
    path = po(project, language)
    source = path.read_text()
    assert replace in source
    path.write_text(source.replace(replace, by))


def translate_all(project: Path) -> None:
    """Catalan and Spanish that differ from English by a mark, written by Babel's reading."""
    for language in ("ca", "es"):
        with po(project, language).open("rb") as file:
            catalog = read_po(file, locale=language)
        for message in catalog:
            if isinstance(message.id, str):
                message.string = message.id and f"{language} {message.id}"
            else:
                message.string = tuple(f"{language} {text}" for text in message.id)
        po(project, language).write_bytes(catalogues._po_bytes(catalog, prune=False))


def test_every_kind_of_message_is_found(project: Path) -> None:
    messages = {(message.id, message.context) for message in catalogues.extract(project / "shop")}
    assert messages - {("", None)} == {
        ("Race", None),
        ("Sold %(count)s tickets", None),
        (("%(n)d bet", "%(n)d bets"), None),
        ("Order", "of money"),
        ("Order", "of places"),
        ("At least 60 % of the takings", None),
        ("Hello {name}", None),
        ("Programme", None),
        (("It's %(n)s horse", "They're %(n)s horses"), None),
        ("Closed", None),
        ("Nested", None),
    }


def test_making_fills_english_asks_for_the_others_and_settles(project: Path) -> None:
    assert len(catalogues.make(project)) == 3
    english = [problem for problem in catalogues.check(project) if "/en/" in problem]
    catalan = [problem for problem in catalogues.check(project) if "/ca/" in problem]
    assert english == [] and len(catalan) >= 10
    assert all("no translation of" in problem for problem in catalan)
    translate_all(project)
    assert catalogues.check(project) == []
    before = {language: po(project, language).read_bytes() for language in ("ca", "es", "en")}
    catalogues.make(project)
    assert catalogues.make(project) == []
    assert catalogues.check(project) == []
    assert b"ca Race" in before["ca"] and b"ca Race" in po(project, "ca").read_bytes()


def test_compiled_catalogues_translate(project: Path) -> None:
    catalogues.make(project)
    translate_all(project)
    translate(project, "ca", 'msgid "Hello {name}"', '#, fuzzy\nmsgid "Hello {name}"')
    assert len(catalogues.compile_all(project)) == 3
    assert catalogues.compile_all(project) == []
    with po(project, "ca").with_suffix(".mo").open("rb") as file:
        catalan = gettext.GNUTranslations(file)
    assert catalan.gettext("Race") == "ca Race"
    assert catalan.ngettext("%(n)d bet", "%(n)d bets", 1) == "ca %(n)d bet"
    assert catalan.ngettext("%(n)d bet", "%(n)d bets", 0) == "ca %(n)d bets"
    assert catalan.pgettext("of money", "Order") == "ca Order"
    assert catalan.gettext("Order") == "Order"
    assert catalan.gettext("Hello {name}") == "Hello {name}", "a fuzzy entry is not used"


@pytest.mark.parametrize(
    ("replace", "by", "problem"),
    [
        ('"ca Race"', '""', "no translation of 'Race'"),
        ("ca Sold %(count)s", "ca Sold %(number)s", "other placeholders"),
        ("ca Sold %(count)s", "ca Sold", "other placeholders"),
        ("ca Hello {name}", "ca Hello {nom}", "other placeholders"),
        ('"ca %(n)d bets"', '"ca bets"', "other placeholders"),
        ('"ca Race"', '"ca Race."\n"ca Race."', "the same twice in 'ca Race.ca Race.'"),
        ('msgid "Race"', 'msgid "Rice"', "obsolete 'Rice'"),
        ('msgid "Race"', '#, fuzzy\nmsgid "Race"', "fuzzy 'Race'"),
        ('"ca %(n)d bets"', '""', "no translation of ('%(n)d bet', '%(n)d bets')"),
        ('"Language: ca', '#~ msgid "Gone"\n#~ msgstr "Anat"\n\n"Language: ca', "obsolete 'Gone'"),
    ],
)
def test_the_check_sees(project: Path, replace: str, by: str, problem: str) -> None:
    catalogues.make(project)
    translate_all(project)
    if by.startswith("#~"):
        with po(project, "ca").open("a") as file:
            file.write('\n#~ msgid "Gone"\n#~ msgstr "Anat"\n')
    else:
        translate(project, "ca", replace, by)
    problems = catalogues.check(project)
    assert any(problem in line for line in problems)
    assert all(line.startswith("shop/locale/ca/") for line in problems)


def test_the_form_for_one_may_spell_the_number_out(project: Path) -> None:
    catalogues.make(project)
    translate_all(project)
    translate(project, "ca", '"ca %(n)d bet"', '"una aposta"')
    assert catalogues.check(project) == []


def test_a_missing_catalogue_is_a_problem(project: Path) -> None:
    assert catalogues.check(project) == [
        f"shop/locale/{language}/LC_MESSAGES/django.po: no catalogue"
        for language in ("ca", "es", "en")
    ]


def test_two_packages_say_the_same_the_same_way(project: Path) -> None:
    other = project / "other"
    other.mkdir()
    (other / "__init__.py").touch()
    (other / "code.py").write_text('_("Race")')
    catalogues.make(project)
    translate_all(project)
    path = catalogues.po_path(other, "ca")
    for text, problems in (("ca Race", 0), ("una altra", 1)):
        source = path.read_text()
        at = source.index('msgid "Race"')
        path.write_text(source[:at] + f'msgid "Race"\nmsgstr "{text}"\n')
        differing = [problem for problem in catalogues.check(project) if "/ca/" in problem]
        assert len(differing) == problems


def test_unused_entries_are_kept_aside_until_pruned(project: Path) -> None:
    catalogues.make(project)
    translate_all(project)
    (project / "shop" / "code.py").write_text(SOURCE.replace('_("Race")', '_("Heat")'))
    catalogues.make(project)
    assert '#~ msgstr "ca Race"' in po(project, "ca").read_text()
    assert any("obsolete 'Race'" in problem for problem in catalogues.check(project))
    catalogues.make(project, prune=True)
    assert "Race" not in po(project, "ca").read_text()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("60 % of it, 100%", set()),
        ("50%% sure", set()),
        ("%s and %(a)d", {"%s", "a"}),
        ("{0} {name!r:>4} {{x}}", {"{0}", "{name}"}),
        ("a { alone", set()),
    ],
)
def test_placeholders(text: str, expected: set[str]) -> None:
    assert catalogues.placeholders(text) == expected


def test_the_commands(project: Path, settings: Any) -> None:
    settings.BASE_DIR = project
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(CommandError, match="3 problems"):
        call_command("makecatalogues", "--check", stdout=out, stderr=err)
    assert "no catalogue" in err.getvalue() and not po(project, "ca").exists()
    call_command("makecatalogues", stdout=out, stderr=err)
    assert "shop/locale/ca/LC_MESSAGES/django.po changed" in out.getvalue()
    call_command("compilecatalogues", stdout=out)
    assert "3 catalogues compiled" in out.getvalue()
    po(project, "ca").write_text('msgid "broken')
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("compilecatalogues", stdout=out)


def test_this_project_is_translated_into_its_three_languages() -> None:
    assert catalogues.check(settings.BASE_DIR) == []


def test_no_text_hides_behind_another_name_of_gettext() -> None:
    collected = {"_", *catalogues.GETTEXTS}
    root = Path(catalogues.__file__).parents[3]
    hidden = [
        f"{path.relative_to(root)}: {name.asname}"
        for package in catalogues.packages(root)
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
        for name in node.names
        if name.name in catalogues.GETTEXTS and name.asname and name.asname not in collected
    ]
    assert hidden == []
