"""Imported by a zygote, it takes this machine for one with a GPU."""

from pathlib import Path

from debugger.workers import wall

wall.gpus = lambda: [Path("/dev/null")]
