"""How long people waited, in one number."""

import math
from collections.abc import Sequence


def late(seconds: Sequence[float]) -> float:
    """The 95th percentile: one that was really waited for, never a mean of two."""
    return sorted(seconds)[max(0, math.ceil(0.95 * len(seconds)) - 1)]
