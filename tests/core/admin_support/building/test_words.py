"""Say percentages, tables and changes in words, for who decides on what a form built."""

from fractions import Fraction

from django.utils.translation import override

from core.admin_support.building import words


def test_a_percentage_has_two_decimals_at_most_and_the_sign_of_the_language() -> None:
    exact = Fraction(70_005, 1000)
    with override("en"):
        assert [words.percent(part) for part in (exact, Fraction(70), Fraction(1, 3))] == [
            "70 %",
            "70 %",
            "0.33 %",
        ]
    with override("ca"):
        assert words.percent(Fraction(73_845, 1000)) == "73,84 %"


def test_only_what_is_otherwise_is_compared() -> None:
    with override("en"):
        named = words.version_name(3)
        assert words.changed("70 %", "70 %", named) == "70 %"
        assert words.changed("70 %", "65 %", "") == "70 %"
        html = words.changed("<70>", "65 %", named)
    assert html == (
        '<strong>&lt;70&gt;</strong> <small class="house-before">(version 3: 65 %)</small>'
    )


def test_another_text_of_the_rules_is_named_in_its_language_alone() -> None:
    now, before = {"ca": "Una.", "es": "Dos."}, {"ca": "Una.", "es": "Otra."}
    with override("en"):
        texts = [str(value) for _title, value in words.rules_texts(now, before)]
        first = [str(value) for _title, value in words.rules_texts(now, None)]
    assert ["Another text" in text for text in texts] == [False, True, False]
    assert texts[2] == "–", "no text in English"
    assert not any("Another text" in text for text in first)


def test_a_table_escapes_what_people_wrote() -> None:
    table = words.table(("a", "b"), [("<i>", 1)], ("sum", 1))
    assert "&lt;i&gt;" in table and "<tfoot>" in table
    assert "<tfoot>" not in words.table(("a", "b"), [("i", 1)])
    assert words.document([("x", "<b>")]).count("&lt;b&gt;") == 1


def test_sentences_in_a_table_may_wrap_and_figures_do_not() -> None:
    table = words.table(
        ("a", "b", "c"), [("1", "€0.50", "Trot on: 78 % to rung 1"), ("2", "–", "")]
    )
    assert "<td>Trot on: 78 % to rung 1</td>" in table
    assert table.count('<td class="house-number">') == 3
