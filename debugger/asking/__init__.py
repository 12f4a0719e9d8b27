"""Asking for help: a script shortened by running it, and a draft that a maintainer can use."""
