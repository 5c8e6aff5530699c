"""The drawing of growth is well-formed, and has every figure and the line of what is linear."""

from collections import Counter
from xml.etree import ElementTree

from tests.bench.growth.drawing import growth

SVG = "{http://www.w3.org/2000/svg}"


def test_each_figure_has_its_line_and_its_ratio() -> None:
    drawn = ElementTree.fromstring(  # noqa: S314  (our own drawing)
        growth("A <night>", [1, 2, 4, 8], {"night": [2.0, 2.1, 2.0, 2.2], "none": [0, 0, 0, 0]})
    )
    dashed = [line for line in drawn.iter(f"{SVG}polyline") if line.get("stroke-dasharray")]
    assert len(dashed) == 1
    texts = [text.text for text in drawn.iter(f"{SVG}text")]
    assert {"A <night>", "night 1.10", "none 0.00", "linear", "8 H"} <= set(texts)


def test_as_many_figures_as_a_decade_has_differ_in_colour() -> None:
    drawn = ElementTree.fromstring(  # noqa: S314  (our own drawing)
        growth("A decade", [1, 8], {name: [1.0, 1.0] for name in "abcdefghijklmno"})
    )
    lines = [line for line in drawn.iter(f"{SVG}polyline") if not line.get("stroke-dasharray")]
    strokes = Counter(line.get("stroke") for line in lines)
    del strokes["#dddddd"]  # of the grid
    assert len(strokes) == 15 and set(strokes.values()) == {2}  # the line, and its key
