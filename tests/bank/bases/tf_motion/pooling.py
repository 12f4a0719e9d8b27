import tensorflow as tf
from tensorflow import keras


class AttentionPool(keras.layers.Layer):
    """A weighted mean over time; the weights are learned."""

    def __init__(self, units=16, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.hidden = keras.layers.Dense(units, activation="tanh")
        self.score = keras.layers.Dense(1)

    def call(self, inputs):
        weights = tf.nn.softmax(self.score(self.hidden(inputs)), axis=1)
        return tf.reduce_sum(weights * inputs, axis=1)

    def get_config(self):
        return {**super().get_config(), "units": self.units}
