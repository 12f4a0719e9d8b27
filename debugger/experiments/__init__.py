"""Causes by experiment: change one thing on a copy, take the same steps, compare."""
