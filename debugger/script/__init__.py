"""A learner's script: where things stand in its text, and running it up to its training."""
