"""Links that a drawing has too many: those attached to nothing, and bars between two pins of the ground."""

import foreign_samples as samples
import numpy as np
import pytest
from foreign_samples import connector, drawing, link, ratio
from pmksplus_address import body, joint, packed, with_digest
from pmksplus_address import link as bar

import structkin as sk

MOTIONGEN = samples.MOTIONGEN.replace(
    '"joints": [', '"joints": [{"id": "u", "x": 50, "y": 0}, {"id": "v", "x": 60, "y": 0}, '
).replace('"links": [', '"links": [{"id": "9", "jointIds": ["u", "v"], "isGround": false}, ')
STRAY_JSON = """"Joints": [
  {"X": 1, "Y": 99, "TypeOfJoint": "R", "Links": ["x"]}, {"X": 9, "Y": 99, "TypeOfJoint": "R", "Links": ["x"]}, """
PMKS_JSON = samples.PMKS_JSON.replace('"Joints": [', STRAY_JSON).replace('"DrivingIndex": 0', '"DrivingIndex": 2')
PYSLVS = samples.PYSLVS.replace(
    "J[R, P[90, 95], L[b]]]", "J[R, P[90, 95], L[b]], J[R, P[1, 99], L[x]], J[R, P[9, 99], L[x]]]"
)
LISTS = samples.PMKSPLUS.replace("&l=", "%0AX,50,9,XY,R,f,0,0,f,%0AY,60,9,XY,R,f,0,0,f,&l=")
PACKED = packed(
    [
        ("A", 0, 0, 6, 0),
        ("B", 3, 4, 0, 0),
        ("C", 18, 0, 0, 0),
        ("D", 20, 0, 4, 0),
        ("E", 50, 0, 0, 0),
        ("F", 60, 0, 0, 0),
    ],
    {"AB": "AB", "BC": "BC", "CD": "CD", "EF": "EF"},
)
FOUR_BAR = [samples.CRANK, connector(2, 180, 150), connector(3, 200, 0, samples.ANCHOR)]
BARS = [link(0, "0 1"), link(1, "1 2"), link(2, "2 3")]

STRAYS = {
    "a.linkage2": drawing(*FOUR_BAR, *BARS, connector(4, 500, 500), connector(5, 600, 500), link(9, "4 5")),
    "point.linkage2": drawing(*FOUR_BAR, *BARS, connector(4, 500, 500), link(9, "4")),
    "gear.linkage2": drawing(*FOUR_BAR, *BARS, connector(4, 500, 500), link(9, "4", 'gear="true"')),
    "no length.linkage2": drawing(*FOUR_BAR, *BARS, connector(4, 500, 500), connector(5, 500, 500), link(9, "4 5")),
    "gears.linkage2": drawing(
        *FOUR_BAR, *BARS, *(connector(k, 500 + 60 * k, 500) for k in (4, 5)), link(9, "4 5"),
        link(10, "4", 'gear="true"'), link(11, "5", 'gear="true"'), f"<ratios>{ratio('gears', 10, 1, 11, 2)}</ratios>"),
    "actuator.linkage2": drawing(
        *FOUR_BAR, *BARS, *(connector(k, 500 + 9 * k, 500 + k * k) for k in (4, 5, 6, 7)),
        link(9, "4 5"), link(10, "5 6 7"), link(11, "4 7", 'actuator="true" throw="5" cpm="6"')),
    "b.txt": samples.PMKS_TEXT + "x,R,1,99,0,tfff\nx,R,9,99,0,tfff\n",
    "c.pmks": PMKS_JSON,
    "d.url": LISTS,
    "e.url": PACKED,
    "f.motiongen": MOTIONGEN,
    "g.txt": PYSLVS,
}  # fmt: skip


@pytest.mark.parametrize("name", STRAYS)
def test_a_stray_link_is_left_out_with_a_note(name, tmp_path):
    (tmp_path / name).write_text(STRAYS[name], encoding="utf-8")
    m = sk.load(tmp_path / name)
    assert any(note.startswith("attached to nothing, so left out: ") for note in m.remarks)
    assert m.topology.mobility_count == 1 == len(m.drivers)
    assert m.solve(13, duration=0.1).ok.all()


def test_what_is_on_the_ground_is_kept():
    """Two machines of one drawing have no point in common but on the ground."""
    joints = [joint("A", 0, 0, 6), joint("B", 1, 0), joint("C", 9, 0, 6), joint("D", 9, 1)]
    m = sk.load("https://app.pmksplus.com/?" + with_digest(body(joints, [bar("AB", "AB"), bar("CD", "CD")])))
    assert set(m.links) == {"ground", "AB", "CD"} and m.solve(9).ok.all()


def test_a_drawing_without_a_ground_is_refused_as_a_whole():
    joints = [joint("A", 0, 0), joint("B", 1, 0), joint("C", 2, 1), joint("D", 9, 9), joint("E", 9, 8)]
    links = [bar("AB", "AB"), bar("BC", "BC"), bar("DE", "DE")]
    with pytest.raises(sk.InputError, match="no joint connects the ground to a moving link"):
        sk.load("https://app.pmksplus.com/?" + with_digest(body(joints, links)))


#: Crank-rockers whose frame is drawn as a bar as well: first in the list of joints and links, and with a bar upon it.
FRAMES = {
    "pmks.txt": "frame,ground,input,R,0,0,tfft\ninput,rod,R,10,0\nrod,out,R,30,25\nout,frame,ground,R,40,0\n",
    "upon.txt": "frame,ground,input,upon,R,0,0,tfft\ninput,rod,R,10,0\nrod,out,R,30,25\nout,frame,ground,R,40,0\n"
    "frame,upon,R,20,-9\n",
    "address.url": with_digest(body(
        [joint("A", 0, 0, 6), joint("B", 10, 0), joint("C", 30, 25), joint("D", 40, 0, 4)],
        [bar("AD", "AD"), bar("AB", "AB"), bar("BC", "BC"), bar("CD", "CD")])),
    "pyslvs.txt": "M[J[R, P[0, 0], L[frame, ground, input]], J[R, P[10, 0], L[input, rod]], "
    "J[R, P[30, 25], L[rod, out]], J[R, P[40, 0], L[out, frame, ground]]]\ninputs=[[0, 1]]",
    "drawn.motiongen": samples.MOTIONGEN.replace(
        '"links": [', '"links": [{"id": "9", "jointIds": ["p", "s"], "isGround": false}, '),
}  # fmt: skip


@pytest.mark.parametrize("name", FRAMES)
def test_a_bar_between_two_pins_of_the_ground_is_ground(name, tmp_path):
    (tmp_path / name).write_text(FRAMES[name], encoding="utf-8")
    m = sk.load(tmp_path / name)
    assert any(note.startswith("pinned to the ground at two points, so parts of it: ") for note in m.remarks)
    assert len(m.links) == 4 and m.topology.mobility_count == 1
    motion = m.solve(37)
    crank = motion.angle(m.drivers["input Point0" if "pyslvs" in name else f"input {next(iter(m.points))}"].links[1])
    assert motion.ok.all() and np.isclose(np.ptp(crank), 2 * np.pi)


def test_a_slot_in_a_bar_that_is_ground_is_fixed():
    """The slider-crank: x = r cos q + sqrt(l^2 - (r sin q)^2), on a rail from (2, 0) to (6, 0)."""
    joints = [joint("A", 0, 0, 6), joint("B", 1, 0), joint("K", 2, 0, 4), joint("L", 6, 0, 4)]
    joints.append(joint("C", 4, 0, 1, 0, ",KL,K,L"))
    links = [bar("KL:Rail", "KL"), bar("AB", "AB"), bar("BC", "BC")]
    motion = sk.load("https://app.pmksplus.com/?" + with_digest(body(joints, links, flags="0"))).solve(37)
    q = motion.angle("AB")
    assert motion.ok.all()
    assert np.allclose(100 * motion.position("C")[:, 0], np.cos(q) + np.sqrt(9 - np.sin(q) ** 2), atol=1e-9)


def test_an_input_of_a_bar_that_is_ground_drives_nothing():
    joints = [joint("A", 0, 0, 6), joint("B", 2, 2, 4), joint("C", 4, 3)]
    m = sk.load("https://app.pmksplus.com/?" + with_digest(body(joints, [bar("AB", "AB"), bar("BC", "BC")])))
    assert not m.drivers and "the input at A drives nothing: there is no joint" in m.remarks
