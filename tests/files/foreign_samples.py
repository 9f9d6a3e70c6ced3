"""Small files in the formats of other tools, written for these tests."""

CRANK = '<connector id="0" x="0" y="0" anchor="true" input="true" rpm="15"/><connector id="1" x="30" y="40"/>'


def drawing(*parts, program='units="Millimeters"'):
    """Return the text of a .linkage2 file."""
    return "\n".join(["<linkage2>", f'<program zoom="1" {program}/>', *parts, "</linkage2>"])


def connector(id, x, y, more=""):
    """Return a connector with more attributes; sliders name their limits behind a >."""
    given, _, limits = more.partition(">")
    inner = "".join(f'<slidelimit id="{limit}"/>' for limit in limits.split())
    slider = ' slider="true"' if inner else ""
    return f'<connector id="{id}" layer="16" x="{x}" y="{y}" {given}{slider}>{inner}</connector>'


def link(id, connectors, more=""):
    """Return a link of connectors, written as "0 1 2"."""
    inner = "".join(f'<connector id="{one}"/>' for one in connectors.split())
    return f'<Link id="{id}" layer="16" {more}>{inner}</Link>'


def ratio(kind, first, size, second, other, real="false"):
    """Return two wheels and their sizes."""
    wheels = f'<link id="{first}" size="{size}"/><link id="{second}" size="{other}"/>'
    return f'<ratio type="{kind}" sizeassize="{real}">{wheels}</ratio>'


ANCHOR = 'anchor="true"'

#: The feature that each file tests, and its text.
LINKAGE = {
    "a four-bar in inches, with a drawing, and a link between anchors": drawing(
        '<connector id="0" x="0" y="0" anchor="true" input="true" rpm="-15"/>',
        '<connector id="1" x="30" y="40"/>',
        connector(2, 180, 150, 'draw="true" name="left-hand: pin"'),
        connector(3, 200, 0, ANCHOR),
        '<connector id="9" layer="1" x="5" y="5" fastenlink="0"/>',
        '<connector id="10" layer="1" x="9" y="5"/>',
        '<element id="0"><connector id="0"/><connector id="1"/><fastenconnector id="9"/></element>',
        link(1, "1 2", 'solid="true" locked="true"'),
        link(2, "2 3"),
        link(3, "0 3"),
        '<Link id="4" layer="1" measurementelement="true"><connector id="9"/><connector id="10"/></Link>',
        '<selected><connector id="-7"/></selected><background></background>',
        program='units="Inches" scalefactor="1.000000"',
    ),
    "three links on a pin, and the number of a link given twice": drawing(
        CRANK,
        connector(2, 180, 150),
        connector(3, 200, 0, ANCHOR),
        connector(4, 120, -60),
        connector(5, 0, -120, ANCHOR),
        *(link(0, "0 1"), link(1, "1 2"), link(1, "2 3"), link(1, "1 4"), link(2, "4 5")),
    ),
    "an arm with a finite slot": drawing(
        '<connector id="0" x="0" y="0" anchor="true" input="true" rpm="15"/>',
        connector(1, 40, 30, ">3 4"),
        connector(3, -150, 0, ANCHOR),
        connector(4, 168.9, 50.35),
        *(link(0, "0 1"), link(1, "3 4")),
    ),
    "a slot along an arc, its centre on the left": drawing(
        CRANK,
        connector(2, 196.2, -10.1, 'slideradius="250">3 4'),
        connector(3, 100, 20, ANCHOR),
        connector(4, 280, 20, ANCHOR),
        *(link(0, "0 1"), link(1, "1 2"), link(2, "3 4")),
    ),
    "a slot along an arc of a link that moves, its centre on the right": drawing(
        '<connector id="0" x="0" y="0" anchor="true" input="true" rpm="15"/>',
        connector(1, 12, 9, 'slideradius="-250">3 4'),
        connector(3, -150, -37, ANCHOR),
        connector(4, 150, -37),
        *(link(0, "0 1"), link(1, "3 4")),
    ),
    "a slider on a slider": drawing(
        connector(0, 0, 0, f"{ANCHOR}>4 5"),
        connector(1, 60, 0, f"{ANCHOR}>4 5"),
        *(connector(4, -60, 0), connector(5, 140, 0), connector(6, 140, 70), connector(7, 140, -70)),
        connector(8, 140, 20, ">6 7"),
        connector(9, 120, 5, f'{ANCHOR} input="true" rpm="-20"'),
        *(link(0, "0"), link(1, "1"), link(2, "4 5 6 7"), link(3, "9 8")),
    ),
    "actuators on moving links, one of them pulls first": drawing(
        *(connector(0, 0, 0, ANCHOR), connector(1, 0, 100), connector(2, 30, 60), connector(3, 90, 0, ANCHOR)),
        *(connector(4, 120, 140), connector(5, 70, 128)),
        *(link(0, "0 1 2"), link(1, "1 4 5")),
        link(2, "3 2", 'actuator="true" throw="20" cpm="6"'),
        link(3, "2 5", 'actuator="true" throw="15" cpm="-4"'),
    ),
    "a pin that only actuators hold": drawing(
        *(connector(0, 0, 0, ANCHOR), connector(1, 100, 0, ANCHOR), connector(2, 40, 80)),
        link(0, "0 2", 'actuator="true" throw="20" cpm="6"'),
        link(1, "1 2", 'actuator="true" throw="10" cpm="3"'),
    ),
    "a gear on a moving arm, with a link fastened to it": drawing(
        connector(0, 0, 0, f'{ANCHOR} input="true" rpm="6"'),
        connector(1, -20, 0, ANCHOR),
        *(connector(2, 60, 0), connector(3, 100, 0), connector(4, 100, 30)),
        link(0, "0 2 3"),
        link(1, "0", 'gear="true" fastenconnector="1"'),
        link(2, "2", 'gear="true"'),
        link(3, "3", 'gear="true" fastenlink="4"'),
        link(4, "3 4"),
        link(5, "1"),
        f"<ratios>{ratio('gears', 2, 3, 3, 1)}{ratio('chain', 1, 20, 2, 10, 'true')}</ratios>",
    ),
    "a train of gears": drawing(
        connector(0, 0, 0, f'{ANCHOR} input="true" rpm="45"'),
        *(connector(1, 60, 0, ANCHOR), connector(2, 150, 10, ANCHOR)),
        *(link(number, str(number), 'gear="true"') for number in (0, 1, 2)),
        f"<ratios>{ratio('gears', 1, 2, 0, 1)}{ratio('chain', 1, 1, 2, 2.5)}</ratios>",
    ),
    "an input that swings": drawing(
        CRANK.replace('rpm="15"', 'rpm="15" limitangle="60" startoffset="20"'),
        *(connector(2, 180, 150), connector(3, 200, 0, ANCHOR)),
        *(link(0, "0 1"), link(1, "1 2"), link(2, "2 3")),
    ),
    "two bars that are one body": drawing(
        CRANK,
        *(connector(2, 180, 150), connector(3, 200, 0, ANCHOR), connector(4, 100, 130)),
        *(link(0, "0 1"), link(1, "1 2"), link(2, "1 2 4"), link(3, "2 3")),
    ),
    "attributes that run together": drawing(
        '<connector id="0"x="0"y="0" anchor="true" input="true"rpm="15"/><connector id="1" x="30"y="40"/>',
        link(0, "0 1"),
    ),
    "a trammel drawn in its dead centre": drawing(
        *(connector(0, -150, 0, ANCHOR), connector(1, 150, 0, ANCHOR)),
        *(connector(2, 0, -150, ANCHOR), connector(3, 0, 150, ANCHOR)),
        *(connector(4, 0, -120, ">2 3"), connector(6, 0, 0, ">0 1"), connector(5, 0, 60)),
        connector(7, 0, -220, f'{ANCHOR} input="true" rpm="5"'),
        connector(8, 0, -340),
        *(link(0, "0 1"), link(1, "2 3"), link(2, "4 6 5"), link(3, "7 8"), link(4, "4 8")),
    ),
}

PMKS_TEXT = """mech=
ground,input,R,0,0,0,tfft
input,coupler,R,30,40,0.0,tfff
coupler,slider,R,180,0,0,tfff
ground,slider,P,180,0,0,tfff
coupler,R,90,80,tfff
"""

PMKS_SLOT = """ground,input,R,0,80,tfft
input,R,40,80
arm,ground,R,0,0
arm,input,RP,40,80,63.43494882292201,tfff
"""

PMKS_JSON = """{"Joints": [
  {"X": 0.0, "Y": 0.0, "Angle": 0.0, "TypeOfJoint": "R", "Links": ["ground", "input"]},
  {"X": 30.0, "Y": 40.0, "Angle": 0.0, "TypeOfJoint": "R", "Links": ["input", "coupler"]},
  {"X": 180.0, "Y": 150.0, "Angle": 0.0, "TypeOfJoint": "R", "Links": ["coupler", "output"]},
  {"X": 200.0, "Y": 0.0, "Angle": 0.0, "TypeOfJoint": "R", "Links": ["output", "ground"]}],
  "Links": [{"Name": "input"}], "Name": "four-bar", "DrivingIndex": 0, "InputSpeed": -12.0}
"""

PMKSPLUS = (
    "https://app.pmksplus.com/?j=A,0,0,AB,R,t,0,0,t,%0AB,3,4,AB|BC,R,f,0,0,f,%0AC,18,0,BC|CD,R,f,0,0,f,"
    "%0AD,18,0,CD,P,t,0.1,0,f,&l=AB,1,1,0,0,A,B,%0ABC,1,1,0,0,B,C,&f=&s=15"
)

MOTIONGEN = """{"name": "motiongen", "version": "1.1.5", "mechanism": {"mode": "standard",
  "joints": [{"id": "p", "x": 0, "y": 0}, {"id": "q", "x": 3, "y": 4}, {"id": "r", "x": 18, "y": 15},
             {"id": "s", "x": 20, "y": 0}, {"id": "t", "x": 9, "y": 14}],
  "slots": [], "cylinders": [],
  "links": [{"id": "1", "jointIds": ["p", "s"], "isGround": true},
            {"id": "2", "jointIds": ["p", "q"], "isGround": false},
            {"id": "3", "jointIds": ["q", "r", "t"], "isGround": false},
            {"id": "4", "jointIds": ["r", "s"], "isGround": false}],
  "actuators": [{"id": "m", "type": "rotary", "at": "p", "from": "s", "to": "q",
                 "min": 0, "max": 360, "velocity": 10}]},
  "settings": {"linearUnit": "cm", "angularUnit": "degree"}}
"""

PYSLVS = """M[J[R, color[Green], P[0.0, 0.0], L[ground, a]],  # the crank
J[R, color[Green], P[30, 40], L[a, b]],
J[R, color[Green], P[150.5, 60], L[b, c]],
J[P, A[30.0], color[Green], P[160, 20.25], L[ground, c]],
J[R, P[90, 95], L[b]]]
inputs=[[0, 1]]
"""

PYSLVS_PROJECT = (
    'pyslvs_ver: 21.2.0\nfile_type: 0\ninput:\n- [0, 1]\nmechanism: "M[J[R, P[0, 0], L[ground, a]], '
    'J[R, P[3, 4], L[a, b]], J[R, P[18, 15], L[b, c]], J[R, P[20, 0], L[c, ground]]]"\npath:\n  one: []\n'
)
