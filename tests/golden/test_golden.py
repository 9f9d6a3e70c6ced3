"""The examples and some other cases give the stored results; `golden_store.py compare` checks all mechanisms."""

import sys
from pathlib import Path

import pytest
from cases import few

sys.path.insert(0, str(Path(__file__).parent))
from golden_cases import kinematic, with_circuits
from golden_results import kinematic_results
from golden_store import differences, is_intended, load

#: Besides the examples, cases that revealed faults: turns of a block and its guide, a circular slot of a platform.
REVEALING = ("random/121", "circular-slot/of a platform")
CASES = {name: make for name, make in kinematic() if name.startswith("example/") or name in REVEALING}

#: Its circuits take ten seconds.
SLOW = ("example/eight_bar_double_triad",)


@pytest.mark.parametrize("name", few(CASES, 4))
def test_results_are_as_stored(name):
    circuits = name not in SLOW and with_circuits(name)
    left_out = ("/compiled/", *(() if circuits else ("circuits/",)))
    kept = {result: value for result, value in load((name,))[name].items() if not any(x in result for x in left_out)}
    found = kinematic_results(CASES[name](), compiled=False, circuits=circuits)
    assert not [str(one) for one in differences(name, kept, found) if not is_intended(one)]
