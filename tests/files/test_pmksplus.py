"""Addresses of PMKS+ as its web page writes them since 2026."""

import base64
import json

import numpy as np
import pytest
from pmksplus_address import body, joint, link, packed, thousandths, with_digest, with_length

import structkin as sk
from structkin.files.readers import pmksplus_packed

A, B, GROUNDED = joint("A", 0, 0, 4 + 2), joint("B", 1, 0), joint("D", 5, 0, 4)
FOUR_BAR = body([A, B, joint("C", 4, 3), GROUNDED], [link("AB", "AB"), link("BC", "BC"), link("CD", "CD")])


def read(joints, links, **more):
    return pmksplus_packed.read(with_digest(body(joints, links, **more)))


def solve(joints, links, samples=73, **more):
    found = read(joints, links, **more)
    assert not found.problems
    motion = sk.Mechanism.from_dict(found.sections).solve(samples)
    assert motion.ok.all(), motion.report
    return motion


# --- the digest ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text, value", [("", 0x811C9DC5), ("a", 0xE40C292C), ("foobar", 0xBF9CF968)])
def test_the_digest_is_fnv_1a(text, value):
    """The values are those of the vectors that the authors of FNV publish."""
    said = pmksplus_packed.digest(text)
    assert sum(pmksplus_packed.DIGITS.index(digit) * 62**k for k, digit in enumerate(reversed(said))) == value


def test_an_address_is_read_alike_with_its_digest_and_without():
    assert pmksplus_packed.read(with_digest(FOUR_BAR)) == pmksplus_packed.read(with_length(FOUR_BAR))


def test_every_changed_character_is_noticed():
    address = with_digest(FOUR_BAR)
    for k, char in enumerate(address):
        other = "x" if char != "x" else "y"
        with pytest.raises(ValueError, match="damaged"):
            pmksplus_packed.read(address[:k] + other + address[k + 1 :])


@pytest.mark.parametrize("end", range(-6, 0))
def test_a_digest_that_is_cut_off_is_damage(end):
    with pytest.raises(ValueError, match="the address is damaged: its last six characters are not the digest"):
        pmksplus_packed.read(with_digest(FOUR_BAR)[:end])


# --- names ---------------------------------------------------------------------------------------------------

NAMED = body(
    [A, joint("B:Crank pin", 1, 0), joint("C:Größe 3", 4, 2), GROUNDED],
    [link("AB:Fixed frame", "AB"), link("BC:Bar", "BC"), link("CD:Bar", "CD")],
)


@pytest.mark.parametrize("change", [lambda text: text, lambda text: text.replace(" ", "%20").replace("ö", "%C3%B6")])
@pytest.mark.parametrize("front", ["https://app.pmksplus.com/?", ""])
def test_names_may_have_spaces(front, change, tmp_path):
    (tmp_path / "shared.txt").write_text(front + change(with_digest(NAMED)) + "\n", encoding="utf-8")
    found = sk.load(tmp_path / "shared.txt")
    assert set(found.source_dict["points"]) == {"A", "Crank pin", "Größe 3", "D"}
    assert list(found.links) == ["ground", "Fixed frame", "Bar", "Bar (2)"]
    if front:
        assert list(sk.load(front + change(with_digest(NAMED))).links) == list(found.links)


def test_an_address_is_no_text_of_pmks_whatever_its_names(tmp_path):
    joints = [joint("A:R", 0, 0, 6), joint("R", 1, 0), joint("P", 2, 1)]
    (tmp_path / "model.pmks").write_text(with_digest(body(joints, [link("AR:G", "ARP")])), encoding="utf-8")
    assert sk.load(tmp_path / "model.pmks").remarks[0] == "a file of PMKS+: 1 moving link, 1 input"


# --- slides --------------------------------------------------------------------------------------------------

CRANK = [A, B]


def test_a_slide_is_a_pin_in_a_slot():
    """The slider-crank: x = r cos q + sqrt(l^2 - (r sin q)^2), and the rod turns in its slot."""
    motion = solve([*CRANK, joint("C", 4, 0, 4 + 1)], [link("AB", "AB"), link("BC", "BC")], flags="0")
    q = motion.angle("AB")
    wanted = np.cos(q) + np.sqrt(9 - np.sin(q) ** 2)
    assert np.allclose(motion.position("C")[:, 0] * 100, wanted, atol=1e-9)
    assert np.ptp(motion.angle("BC")) > 0.5


def test_a_welded_slide_does_not_turn_against_its_slot():
    """The Scotch yoke: its slot is moved by x = r cos q."""
    yoke = [joint("C", 1, -2, 4 + 1 + 8), joint("D", 1, 2)]
    pin = joint("B", 1, 0, 1, 0.0, ",CD,C,D")
    motion = solve([A, pin, *yoke], [link("AB", "AB"), link("CD", "CD")], flags="0")
    assert np.allclose(motion.position("D")[:, 0] * 100, np.cos(motion.angle("AB")), atol=1e-9)
    assert np.ptp(motion.angle("CD")) < 1e-12


@pytest.mark.parametrize("flag", ["YP", "YR"])
def test_a_slide_of_older_addresses_has_a_block(flag):
    """The same yoke of the three records that a slide had before: a pin, a slide at its place, and a block."""
    joints = [A, B, joint("C", 1, -2, 8), joint("D", 1, 2), joint("E", 1, 0, 1, 0.0, ",CD,C,D"), joint("F", 1, -2, 5)]
    bars = [link("AB", "AB"), link("CD", "CD"), link("BE", "BE", flag), link("CF", "CF", flag)]
    motion = solve(joints, bars, flags="0")
    assert np.allclose(motion.position("D")[:, 0] * 100, np.cos(motion.angle("AB")), atol=1e-9)


def test_a_cylinder_drives_a_boom_by_the_law_of_cosines():
    """A rod slides in a barrel from G: its length is the distance of G and C, and cos O = (a^2 + b^2 - c^2) / 2ab."""
    joints = [joint("O", 0, 0, 4), joint("C", 0, 4), joint("G", 3, 0, 4), joint("N", 1.8, 1.6)]
    rod = joint("P", 1.2, 2.4, 1 + 2 + 8 + 32, 0.0, ",GN,G,N")
    bars = [link("OC", "OC"), link("GN", "GN"), link("PC", "PC")]
    for flag, sense in (("0", 1), ("1", -1)):
        motion = solve([*joints, rod], bars, flags=flag, decimals=f"Fe,{thousandths(0.5)}")
        length = 5 + sense * 0.5 * motion.t
        wanted = np.arccos((16 + 9 - length**2) / 24)
        assert np.allclose(motion.angle("OC"), wanted, atol=1e-9)
        assert np.isclose(motion.t[-1], 1)


def test_a_driven_pin_in_a_slot_drives_its_block():
    """The elliptical trammel: A slides by s on the x axis, B on the y axis, their distance is constant."""
    joints = [joint("A", 1, 0, 4 + 2 + 1), joint("B", 0, 2, 4 + 1, np.pi / 2), joint("T", 0.5, 1)]
    motion = solve(joints, [link("ABT", "ABT")], flags="0", decimals=f"Fe,{thousandths(0.7)}")
    s = 1 + 0.7 * motion.t
    assert np.allclose(motion.position("A")[:, 0] * 100, s, atol=1e-9)
    assert np.allclose(motion.position("B")[:, 1] * 100, np.sqrt(5 - s**2), atol=2e-3)  # pi / 2 has three decimals


def test_the_end_of_a_slot_may_be_a_slide_itself():
    joints = [*CRANK, joint("C", -1, 0, 4 + 1), joint("E", 3, 0), joint("F", 2, 0, 1, 0.0, ",CE,C,E"), joint("G", 2, 3)]
    bars = [link("AB", "AB"), link("CE", "CE"), link("FG", "FG")]
    found = read(joints, bars)
    assert found.joints["slot of F"] == {"type": "pin-in-slot", "pin": "F", "slot": "CE", "along": ["C", "E"]}
    assert found.joints["slot of C"] == {"type": "pin-in-slot", "pin": "C", "slot": "ground", "axis": [1.0, 0.0]}


def test_a_slot_in_a_part_of_a_body_is_one_of_the_body():
    joints = [*CRANK, joint("C", 0, -1, 8), joint("D", 4, -1), joint("E", 0, -3, 4), joint("F", 2, -1, 1, 0, ",CD,C,D")]
    bars = [link("AB", "AB"), link("CDE:Lever", "CDE", parts="CD,CE"), link("BF", "BF")]
    parts = [link("CD", "CD", "NR"), link("CE", "CE", "NR")]
    found = read(joints, bars + parts)
    assert found.joints == {"slot of F": {"type": "pin-in-slot", "pin": "F", "slot": "Lever", "along": ["C", "D"]}}
    assert found.links == {"ground": ["A", "E"], "AB": ["A", "B"], "Lever": ["C", "D", "E"], "BF": ["B", "F"]}


def test_a_slide_in_its_own_body_is_left_out_with_a_note():
    joints = [*CRANK, joint("C", 0.5, 0, 1 + 8 + 32, 0, ",AB,A,B")]
    found = read(joints, [link("AB", "ABC")])
    assert not found.joints and "the slide C is in a slot of its own link and is left out" in found.notes


# --- welds, inputs, links ------------------------------------------------------------------------------------


def test_a_weld_at_a_ground_pin_fastens_its_links_to_each_other():
    joints = [joint("A", 0, 0, 4 + 2 + 8), B, joint("C", 0, 1)]
    motion = solve(joints, [link("AB", "AB"), link("AC", "AC")], flags="0")
    assert np.allclose(motion.angle("AC") - motion.angle("AB"), np.pi / 2)
    assert np.isclose(np.ptp(motion.angle("AB")), 2 * np.pi)


@pytest.mark.parametrize("flag", ["0", "1"])
def test_an_input_has_its_own_speed_and_sense(flag):
    """Own speeds are counter-clockwise; those without turn at that of the drawing, clockwise if its flag is set."""
    cranks = [joint(name, 9 * k, 0, 6, more=more) for k, (name, more) in enumerate(
        [("A", f",,,,{thousandths(10)}"), ("C", f",,,,{thousandths(-8)}"), ("E", "")])]  # fmt: skip
    ends = [joint(name, 9 * k + 1, 0) for k, name in enumerate("BDF")]
    found = read(cranks + ends, [link(name, name) for name in ("AB", "CD", "EF")], flags=flag, integers="5,0")
    speeds = [driver["speed"] for driver in found.drivers.values()]
    assert speeds == ["10.0 rpm", "-8.0 rpm", "-5.0 rpm" if flag == "1" else "5.0 rpm"]


@pytest.mark.parametrize("flag", "YAMG0123")
def test_links_whose_masses_are_computed_are_links(flag):
    found = read([*CRANK], [link("AB", "AB", f"{flag}R")])
    assert found.links["AB"] == ["A", "B"]


def test_a_link_that_is_no_body_and_in_none_is_noted():
    found = read([*CRANK], [link("AB", "AB"), link("BA", "AB", "aR")])
    assert list(found.links) == ["ground", "AB"] and "welded into no link, so left out: BA" in found.notes


def test_a_stray_link_is_left_out_with_a_note():
    stray = [joint("E", 9, 9), joint("F", 12, 9)]
    bars = [link("AB", "AB"), link("BC", "BC"), link("CD", "CD")]
    joints = [A, B, joint("C", 4, 3), GROUNDED]
    m = sk.load("https://app.pmksplus.com/?" + with_digest(body([*joints, *stray], [*bars, link("EF", "EF")])))
    assert "attached to nothing, so left out: EF" in m.remarks
    assert m.solve(9).ok.all()


# --- what follows --------------------------------------------------------------------------------------------


def gears(teeth, centers, module=1.0, points=(), kind="external"):
    data = {
        "gears": [
            {"id": f"g{k}", "hostLinkId": host, "centerJointId": host[0], "referenceJointId": host[1], "teeth": count,
             "module": module}
            for k, (host, count) in enumerate(zip(centers, teeth, strict=True))
        ],
        "meshes": [{"id": "m", "gearAId": "g0", "gearBId": "g1", "kind": kind}],
        "points": list(points),
    }  # fmt: skip
    return "N_.G1~" + base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip("=")


WHEELS = [joint("A", 0, 0, 6), joint("B", 1, 0), joint("C", 3, 0, 4), joint("D", 3, 1)]


def test_gears_turn_by_their_teeth():
    """20 and 40 teeth of module 1 mm: centres 30 mm apart, and the second turns by -1/2."""
    places = [["A", 0, 0], ["B", 1, 0], ["C", 3, 0], ["D", 3.0000004, 1]]
    motion = solve(
        WHEELS, [link("AB", "AB"), link("CD", "CD")], flags="0", more=gears((20, 40), ("AB", "CD"), 0.1, places)
    )
    turned = motion.angle("CD") - motion.angle("CD")[0]
    assert np.allclose(turned, -(motion.angle("AB") - motion.angle("AB")[0]) / 2)
    assert motion.mechanism.source_dict["points"]["D"] == [3.0000004, 1]


@pytest.mark.parametrize(
    "more, said",
    [
        (gears((20, 40), ("AB", "CD"), 0.1, kind="internal"), "expected two gears of the address in external mesh"),
        (gears((20, 40), ("AB", "XY"), 0.1), "are on links or joints that the address does not have"),
        (gears((20, 40), ("AB", "CD"), 0.1, [["Z", 0, 0]]), "places the joint the text 'Z'"),
        ("N_.G1~e30", "the gears of the address cannot be read"),
        ("N_.PJZ~0~1.5", "is a number of the joint Z, which the address does not have"),
        ("N_.PJA~0~nan", "expected a finite number"),
    ],
)
def test_what_follows_is_refused_with_its_reason(more, said):
    found = read(WHEELS, [link("AB", "AB"), link("CD", "CD")], more=more)
    assert said in str([str(problem) for problem in found.problems])


def test_gears_whose_circles_do_not_touch_are_refused():
    found = read(WHEELS, [link("AB", "AB"), link("CD", "CD")], more=gears((20, 41), ("AB", "CD"), 0.1))
    with pytest.raises(sk.InputError, match="the pitch radii add up to"):
        sk.Mechanism.from_dict(found.sections)


def test_numbers_finer_than_thousandths_are_read():
    more = "N_.PJB~0~1.00000012345,PJB~1~-2.5e-7,PD~1~0.0001,PI~0~23.1481481481481,PLAB~0~1.23456789"
    found = read([*CRANK], [link("AB", "AB")], flags="0", more=more)
    assert found.points["B"] == [1.00000012345, -2.5e-7]
    assert found.drivers["input A"]["speed"] == "23.1481481481481 rpm"
    assert not any("left out: " in note for note in found.notes)


def test_what_does_not_change_the_motion_is_noted():
    tail = f",,,,{thousandths(10)},{thousandths(2)},Pump jack,0~3,0~25,0~5"
    more = "N_.JB,HlAB,KJA~b,CGAB,SD~1~2~3,T1abc,W9~x"
    found = read([joint("A", 0, 0, 6, more=tail), B], [link("AB", "AB")], flags="0", more=more)
    assert found.notes == [
        "left out: locks (B)",
        "left out: lengths and angles that are held (AB)",
        "left out: colours (A)",
        "left out: places of centres of mass (AB)",
        "left out: a synthesis of positions",
        "left out: structural data",
        "left out: parts that are not understood (W9)",
        "left out: static coefficients of friction (A)",
        "left out: names of mechanisms (Pump jack)",
        "lengths are read as cm; masses and forces are left out",
    ]
    assert found.drivers["input A"]["speed"] == "10.0 rpm"


def test_settings_that_are_not_known_are_noted():
    found = read([*CRANK], [link("AB", "AB")], decimals="TY,Fe,0", integers="K,0,7", flags="0P1", units="1010")
    assert found.notes[0] == "left out: settings that are not understood (0, 7, 1)"


def test_friction_of_pins_and_slides_is_read():
    """Static and kinetic coefficient and radius, whatever of speed, mass and name stands before them."""
    joints = [joint("A", 0, 0, 6, more=f",,,,{thousandths(5)},0~3,0~25,0~5"), B]
    joints.append(joint("C", 4, 0, 5, more=",,,,,,,0~2,1e-3,0"))
    found = read(joints, [link("AB", "AB"), link("BC", "BC")])
    assert found.forces == {
        "friction A": {"type": "friction", "joint": "A", "coefficient": 0.25, "radius": 0.5},
        "friction C": {"type": "friction", "joint": "slot of C", "coefficient": 0.001},
    }
    m = sk.Mechanism.from_dict(found.sections)
    assert m.solve(5).ok.all() and m.forces.loads["friction A"].arm == 0.005
    three = read([*joints, joint("D", 1, 1)], [link("AB", "AB"), link("BC", "BC"), link("AD", "AD")])
    assert "the friction at A is left out: it needs two links, a coefficient and a radius" in three.notes


@pytest.mark.parametrize(
    "joints, links, said",
    [
        ([*CRANK, joint("C", 1, 1, 1, 0, ",AB,A")], [link("AB", "AB")], "its slot is incomplete"),
        ([*CRANK, joint("C", 1, 1, 0, 0, ",AB,A,B")], [link("AB", "AB")], "it is no slide"),
        ([*CRANK, joint("C", 1, 1, 1, 0, ",XY,A,B")], [link("AB", "AB")], "is in the link XY"),
        ([*CRANK, joint("C", 1, 1, 1, 0, ",AB,A,Z")], [link("AB", "AB"), link("CB", "CB")], "names the joints Z"),
        (CRANK, [link("AB", "AZ")], "names the joints Z"),
        ([*CRANK, B], [link("AB", "AB")], "joint B: the id is given twice"),
        (CRANK, [link("AB", "AB"), link("AB", "AB")], "link AB: the id is given twice"),
        (CRANK, [link("AB", "AB", "ZR")], "expected flags and id, name"),
        (CRANK, [link("AB", "AB", parts="P"), link("BA", "AB", parts="P"), link("P", "AB", "NR")], "is welded into"),
    ],
)
def test_a_bad_address_is_refused_with_its_reason(joints, links, said):
    assert said in str([str(problem) for problem in read(joints, links).problems])


def test_a_slide_without_a_slot_is_noted():
    found = read([*CRANK, joint("C", 1, 1, 1)], [link("AB", "AB"), link("CB", "CB")])
    assert "the slide C has no slot: it is read as a pin" in found.notes


def test_packed_addresses_of_older_pages_stay_as_they_were():
    text = packed([("A", 0, 0, 22, 0), ("B", 3, 4, 16, 0)], {"AB": "AB"})
    assert pmksplus_packed.read(text).drivers["input A"]["speed"] == "-20.0 rpm"
