"""Runs scripts away from whoever asked: one run, one process, forked warm and thrown away after."""

from debugger.workers.local import LocalEngine

__all__ = ["LocalEngine"]
