"""One face over a built Trainer (trainer/) or a built Keras model."""
