"""The class: rooms without accounts, what is asked there, who answered. No pages, no framework."""
