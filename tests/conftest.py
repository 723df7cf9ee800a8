"""What all tests share: they are the same in every run, and a busy machine is no fault.

Secrets and the ids of tables follow from a test's name, not from the operating system, so that its tables throw the
same dice whenever and wherever it runs; the examples that Hypothesis makes up follow from the test's own text. To look
for new ones: `pytest --hypothesis-profile default`.
"""

import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def same_luck(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let `secrets`, and what NumPy seeds itself with, follow from the name of the test.

    Browsers and their servers keep real luck: where one of their tests stumbles, it is tried again.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.node.get_closest_marker("browser") is None:
            # By this name `random.SystemRandom` reads from the operating system, and so does all of `secrets`.
            patch.setattr(random, "_urandom", random.Random(request.node.nodeid).randbytes)
        yield
