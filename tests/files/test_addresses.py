"""Addresses as programs pass them on: encoded as a whole, in quotes, with line ends or a mark behind them."""

from urllib.parse import quote

import pytest
from pmksplus_address import body, joint, link, with_digest, with_length

import structkin as sk

JOINTS = [joint("A", 0, 0, 4 + 2), joint("B:Crank pin", 1, 0), joint("C", 4, 3), joint("D", 5, 0, 4)]
FOUR_BAR = body(JOINTS, [link("AB", "AB"), link("BC", "BC"), link("CD", "CD")])
LISTS = "j=A,0,0,AB,R,t,0,0,t,%0AB,1,0,AB|BC,R,f,0,0,f,%0AC,4,3,BC|CD,R,f,0,0,f,%0AD,5,0,CD,R,t,0,0,f&l=&s=10,f,cm"
QUERIES = {
    "with a digest": with_digest(FOUR_BAR),
    "with a length": with_length(FOUR_BAR),
    "lists": LISTS,
    "PMKS": "set=s20|e5&mech=ground,a,R,0,0,tfft|a,b,R,1,0,tfff|b,c,R,4,3,tfff|ground,c,R,5,0,tfff|",
}
AS_PASSED_ON = {
    "encoded from the query on": lambda front, query: front + quote(query, safe=""),
    "encoded as a whole": lambda front, query: quote(front + query, safe=""),
    "encoded twice": lambda front, query: quote(quote(front + query, safe=""), safe=""),
    "every letter encoded": lambda front, query: front + "".join(f"%{byte:02x}" for byte in query.encode()),
    "encoded with its line end": lambda front, query: quote(f"{front}{query}\n", safe=""),
    "capitals": lambda front, query: front.upper() + query,
    "quotes": lambda front, query: f'"{front}{query}"',
    "angle brackets": lambda front, query: f"<{front}{query}>",
    "a line before": lambda front, query: f"\n{front}{query}",
    **{
        f"{end!r} behind": lambda front, query, end=end: front + query + end
        for end in (
            "#",
            "%23",
            "#top",
            "\n",
            "\r\n",
            "%0A",
            "%0D%0A",
            "%0a",
            "#%0A",
            " ",
            "%20",
            "%00",
            "&utm_source=mail&utm_medium=a.b,c",
            "&fbclid=Iw0#top",
        )
    },
}


WITH_BLANKS = {
    "with a digest": QUERIES["with a digest"],
    "lists": LISTS.replace("AB|BC", "first bar|BC").replace("A,0,0,AB", "A 0,0,0,first bar"),
    "PMKS": "set=s20&mech=ground a R 0 0 tfft|a b R 1 0 tfff|b c R 4 3 0 tfff|ground c R 5 0 tfff|",
    "PMKS with signs": "mech=ground a R 0 0 ---+|a b R 1 0 +---|b c R 4 3 ----|ground c R 5 0 ----|",
}


@pytest.mark.parametrize("what", WITH_BLANKS)
def test_a_plus_is_a_blank_where_a_form_has_encoded_the_address(what):
    """`urlencode` and `URLSearchParams` write blanks as +, and a + of the text as %2B; some leave that as it is."""
    query = WITH_BLANKS[what]
    wanted = sk.load("https://a.b/?" + query.replace(" ", "%20"))
    assert len(wanted.links) == 4 and len(wanted.drivers) == 1
    for plus in ("+", "%2B"):
        found = sk.load("https://a.b/?" + query.replace("+", plus).replace(" ", "+"))
        assert found.remarks == wanted.remarks
        assert {**found.source_dict, "title": ""} == {**wanted.source_dict, "title": ""}


def test_a_plus_that_is_no_blank_stays():
    """The digest tells, as do commas between the cells, and the exponent of a number."""
    packed_ = with_digest(FOUR_BAR.replace("Crank pin", "Crank+pin"))
    assert "Crank+pin" in sk.load("https://a.b/?" + packed_).places
    commas = QUERIES["PMKS"].replace("tfft", "---+").replace("tfff", "----")
    assert len(sk.load("https://a.b/?" + commas).drivers) == 1
    places = [sk.load("https://a.b/?" + LISTS.replace("D,5,0", number)).places["D"] for number in ("D,5,0", "D,5e+0,0")]
    assert places[0] == places[1]


@pytest.mark.parametrize("how", AS_PASSED_ON)
@pytest.mark.parametrize("what", QUERIES)
def test_an_address_is_read_as_it_is_passed_on(what, how, tmp_path):
    plain = "https://app.pmksplus.com/?" + QUERIES[what]
    wanted = sk.load(plain)
    assert len(wanted.links) == 4 and len(wanted.drivers) == 1
    passed = AS_PASSED_ON[how]("https://app.pmksplus.com/?", QUERIES[what])
    (tmp_path / "shared.url").write_bytes(passed.encode())
    for found in (sk.load(passed), sk.load(tmp_path / "shared.url")):
        assert found.remarks == wanted.remarks
        assert {**found.source_dict, "title": ""} == {**wanted.source_dict, "title": ""}


def test_a_changed_address_is_refused_in_any_encoding():
    address = "https://app.pmksplus.com/?" + with_digest(FOUR_BAR).replace("Crank", "Cramp")
    with pytest.raises(sk.InputError, match="damaged"):
        sk.load(quote(address, safe="") + "%0A")


@pytest.mark.parametrize("count", [1, 9, 60_000])
def test_an_encoding_of_encodings_ends(count):
    with pytest.raises(sk.InputError):
        sk.load("https%3A%2F%2Fa.b%2F%3F" + "%" + "25" * count + "2C")
