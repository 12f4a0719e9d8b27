"""Preloaded, it takes the wall away: what follows is a machine without Landlock."""

import landlockpy

landlockpy.abi_version = lambda: 0
