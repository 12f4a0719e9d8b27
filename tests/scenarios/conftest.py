"""What the tests of the catalogue share."""

import pytest


@pytest.fixture(scope="session")
def chosen(request: pytest.FixtureRequest) -> set[str]:
    """The scenarios that the selected tests are about: with `-k` nothing else is run."""
    parameters = [getattr(item, "callspec", None) for item in request.session.items]
    return {
        spec.params["scenario"].id
        for spec in parameters
        if spec is not None and "scenario" in spec.params
    }
