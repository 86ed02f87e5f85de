import pytest

from ingestion.reading.strings import SharedStrings
from tests.ingestion.reading.books import book, failure, header, read, shared

HEAD = header("a", "b", "c")


def cell_of(xml: str, **options):
    """The one cell of the second row, read the fast way, and by expat when an attribute is unknown to it."""
    fast = read(book(HEAD + f'<row r="2">{xml}</row>', **options))
    slow = read(
        book(
            HEAD + f'<row r="2">{xml.replace("<c ", "<c cm=" + chr(34) + "1" + chr(34) + " ", 1)}</row>',
            **options,
        )
    )
    assert fast.rows == slow.rows
    assert fast.end.assumptions == slow.end.assumptions
    return fast.rows[0][1][0] if fast.rows else None


@pytest.mark.parametrize(
    ("xml", "cell"),
    [
        ('<c r="A2"><v>5</v></c>', 5),
        ('<c r="A2" t="n"><v>-1.25E-3</v></c>', -0.00125),
        ('<c r="A2"><v>274.65999999999997</v></c>', 274.65999999999997),
        ('<c r="A2"><v>9007199254740993</v></c>', 9007199254740993),
        ('<c r="A2"><v>+5</v></c>', "\x7fn+5\x7fg"),
        ('<c r="A2"><v>1E400</v></c>', "\x7fn1E400\x7fg"),
        ('<c r="A2" s="3"><v>6083</v></c>', "\x7fn6083\x7fz:00000"),
        ('<c r="A2" s="9"><v>123456789</v></c>', "\x7fn123456789\x7fz:000-00-0000"),
        ('<c r="A2" s="4"><v>0.52</v></c>', "\x7fn0.52\x7f%"),
        ('<c r="A2" s="5"><v>10.5</v></c>', "\x7fn10.5\x7fdu"),
        ('<c r="A2" s="6"><v>10.5</v></c>', "\x7fn10.5\x7fc:EUR"),
        ('<c r="A2" s="7"><v>10.5</v></c>', "\x7fn10.5\x7fc:CHF"),
        ('<c r="A2" s="1"><v>44197</v></c>', "\x7fd2021-01-01\x7fd"),
        ('<c r="A2" s="1"><v>44197.5</v></c>', "\x7fd2021-01-01T12:00:00\x7fd"),
        ('<c r="A2" s="2"><v>44197</v></c>', "\x7fd2021-01-01T00:00:00\x7fdt"),
        ('<c r="A2" s="2"><v>44197.000011574071</v></c>', "\x7fd2021-01-01T00:00:01\x7fdt"),
        ('<c r="A2" s="8"><v>0.4375</v></c>', "\x7fd10:30:00\x7ft"),
        ('<c r="A2" s="1"><v>59</v></c>', "\x7fd1900-02-28\x7fd"),
        ('<c r="A2" s="1"><v>60</v></c>', "\x7fn60\x7fd"),
        ('<c r="A2" s="1"><v>61</v></c>', "\x7fd1900-03-01\x7fd"),
        ('<c r="A2" s="1"><v>-1</v></c>', "\x7fn-1\x7fd"),
        ('<c r="A2" s="1"><v>99999999</v></c>', "\x7fn99999999\x7fd"),
        ('<c r="A2" t="d"><v>2021-01-01</v></c>', "\x7fd2021-01-01"),
        ('<c r="A2" t="b"><v>1</v></c>', "\x7fb1"),
        ('<c r="A2" t="b"><v>0</v></c>', "\x7fb0"),
        ('<c r="A2" t="e"><v>#DIV/0!</v></c>', "\x7fe#DIV/0!"),
        ('<c r="A2" t="str"><f>B2</f><v>x</v></c>', "x"),
        ('<c r="A2" t="str"><f>B2</f><v></v></c>', None),
        ('<c r="A2"><f>1+1</f><v>2</v></c>', 2),
        ('<c r="A2"><f>1+1</f></c>', "\x7ff"),
        ('<c r="A2"><f>1+1</f><v/></c>', "\x7ff"),
        ('<c r="A2"><f t="shared" si="0"/><v></v></c>', "\x7ff"),
        ('<c r="A2" t="inlineStr"><is><t>#NULL?</t></is></c>', "#NULL?"),
        ('<c r="A2" t="inlineStr"><is><t xml:space="preserve"> a  b </t></is></c>', " a  b "),
        (
            '<c r="A2" t="inlineStr"><is><t>a&amp;b &lt;&#228;&#x1F600;&gt; "q" \\</t></is></c>',
            'a&b <ä😀> "q" \\',
        ),
        ('<c r="A2" t="inlineStr"><is><t>a_x000D_\nb</t></is></c>', "a\r\nb"),
        ('<c r="A2" t="inlineStr"><is><t>_x005F_x000D_</t></is></c>', "_x000D_"),
        ('<c r="A2" t="inlineStr"><is><t>_x007F_n1</t></is></c>', "\x7fs\x7fn1"),
        ('<c r="A2" t="inlineStr"><is><r><t>ri</t></r><r><rPr><b/></rPr><t>ch</t></r></is></c>', "rich"),
        ('<c r="A2" t="inlineStr"><is><t>東</t><rPh sb="0" eb="1"><t>ヒガシ</t></rPh></is></c>', "東"),
        ('<c r="A2" t="inlineStr"><is><t><![CDATA[a<b]]></t></is></c>', "a<b"),
        ('<c r="A2" t="inlineStr"><v>7</v><is><t>x</t></is></c>', "x"),
        ('<c r="A2" t="inlineStr"><is><t></t></is></c>', None),
        ('<c r="A2" s="1"/>', None),
    ],
)
def test_cell_is_read_as_it_stands(xml, cell):
    assert cell_of(xml) == cell


def test_dates_from_1904_are_counted_from_there():
    settings = '<workbookPr date1904="1"/><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets>'
    cells = '<c r="A2" s="1"><v>0</v></c><c r="B2" s="1"><v>60</v></c><c r="C2" s="1"><v>42735</v></c>'
    row = f'<row r="2">{cells}</row>'

    reading = read(book(HEAD + row, book=settings))

    assert reading.rows == [[2, ["\x7fd1904-01-01\x7fd", "\x7fd1904-03-01\x7fd", "\x7fd2021-01-01\x7fd"]]]
    assert "dates_from_1904" in reading.assumed


def test_formulas_are_counted():
    row = '<row r="2"><c r="A2"><f>1</f><v>1</v></c><c r="B2"><f>1</f></c></row>'

    assert read(book(HEAD + row)).assumed["formulas_by_stored_value"] == {"count": 2}


@pytest.mark.parametrize(
    "strings",
    [
        shared("<t>plain</t>", '<t xml:space="preserve"> two </t>', "<t>a&amp;b</t>"),
        # A comment, an empty item, runs and readings: not for the fast way.
        "<!-- by hand -->" + shared("<t>plain</t>", "<r><t> t</t></r><r><t>wo </t></r>", "<t>a&#38;b</t>"),
        shared(
            "<t>plain</t><rPh sb='0' eb='1'><t>no</t></rPh>", "<t><![CDATA[ two ]]></t>", "<t>a&amp;b</t>"
        ),
    ],
)
def test_shared_strings_are_read(strings):
    cells = "".join(f'<c r="{letter}2" t="s"><v>{place}</v></c>' for place, letter in enumerate("ABC"))
    row = f'<row r="2">{cells}</row>'

    assert read(book(HEAD + row, strings=strings)).rows == [[2, ["plain", " two ", "a&b"]]]


def test_shared_strings_past_their_limit_go_to_a_file():
    strings = shared(*(f"<t>text number {number} ä</t>" for number in range(5_000)))
    rows = "".join(
        f'<row r="{n + 2}"><c r="A{n + 2}" t="s"><v>{4_999 - n}</v></c></row>' for n in range(5_000)
    )

    reading = read(book(HEAD + rows, strings=strings), spill_bytes=1_000)

    assert [row[1] for row in reading.rows] == [[f"text number {4_999 - n} ä"] for n in range(5_000)]


@pytest.mark.parametrize("number", ["7", "-1", "x"])
def test_cell_that_points_to_no_string_is_damage(number):
    row = f'<row r="2"><c r="A2" t="s"><v>{number}</v></c></row>'

    assert failure(book(HEAD + row, strings=shared("<t>a</t>"))).code == "damaged_file"


def test_number_that_is_none_is_damage():
    error = failure(book(HEAD + '<row r="2"><c r="A2"><v>12 apples</v></c></row>'))

    assert error.code == "damaged_file"
    assert "12 apples" in error.message


def test_shared_strings_stay_in_memory_up_to_64_megabytes():
    strings = SharedStrings()
    block = [b'"%07d%s"' % (number, b"x" * 991) for number in range(1_000)]

    for _ in range(63):
        strings.extend(block)
    assert strings.file < 0
    strings.extend(block * 2)

    assert strings.file >= 0
    assert len(strings.block) == 0
    assert strings.fragment(b"64999") == block[999]
    assert strings.fragments([b"1", b"2"]) is None
    strings.handle.close()
