from work import charts


def test_sparkline_reaches_from_edge_to_edge_and_from_floor_to_top():
    chart = charts.sparkline([0, 5, 10], width=103, height=23)

    assert chart.line == "M1.5 21.5L51.5 11.5L101.5 1.5"
    assert chart.area == "M1.5 21.5L51.5 11.5L101.5 1.5L101.5 23L1.5 23Z"
    assert (chart.last_x, chart.last_y) == (101.5, 1.5)


def test_sparkline_of_zeros_lies_on_the_floor():
    assert charts.sparkline([0, 0], width=13, height=13).line == "M1.5 11.5L11.5 11.5"


def test_sparkline_of_one_value_is_level():
    assert charts.sparkline([7], width=13, height=13).line == "M1.5 1.5L11.5 1.5"


def test_sparkline_of_nothing_lies_on_the_floor():
    assert charts.sparkline([], width=13, height=13).line == "M1.5 11.5L11.5 11.5"


def test_strip_stands_on_the_floor_and_keeps_its_order():
    cells = charts.strip([("done", "1 Nov", "Processed"), ("bad", "2 Nov", "Failed")], width=6, gap=2)

    assert [(cell.x, cell.y + cell.height) for cell in cells] == [(0, 18), (8, 18)]
    assert [cell.label for cell in cells] == ["1 Nov", "2 Nov"]


def test_strip_tells_every_two_outcomes_apart_without_colour():
    outcomes = ("bad", "asking", "part", "done", "running")

    heights = {charts.strip([(shape, "", "")])[0].height for shape in outcomes}

    assert len(heights) == len(outcomes)
