"""Visitors without a browser, and what goes wrong around them."""
