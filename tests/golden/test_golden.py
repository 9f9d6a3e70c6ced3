"""The examples give what was kept; `golden_store.py compare` looks at all mechanisms and at compiled engines."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from golden_cases import kinematic
from golden_results import kinematic_results
from golden_store import differences, is_intended, load

EXAMPLES = {name: make for name, make in kinematic() if name.startswith("example/")}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_as_they_were_kept(name):
    kept = {result: value for result, value in load((name,))[name].items() if "/numba/" not in result}
    found = kinematic_results(EXAMPLES[name](), compiled=False)
    assert not [str(one) for one in differences(name, kept, found) if not is_intended(one)]
