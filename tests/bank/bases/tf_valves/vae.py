import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class VAE(keras.Model):
    def __init__(self, points, latent, beta):
        super().__init__()
        self.beta = beta
        self.encoder = keras.Sequential(
            [
                layers.Input(shape=(points,)),
                layers.Dense(64, activation="relu"),
                layers.Dense(32, activation="relu"),
                layers.Dense(2 * latent),
            ]
        )
        self.decoder = keras.Sequential(
            [
                layers.Input(shape=(latent,)),
                layers.Dense(32, activation="relu"),
                layers.Dense(64, activation="relu"),
                layers.Dense(points, activation="sigmoid"),
            ]
        )
        self.loss_tracker = keras.metrics.Mean(name="loss")
        self.kl_tracker = keras.metrics.Mean(name="kl")

    @property
    def metrics(self):
        return [self.loss_tracker, self.kl_tracker]

    def call(self, inputs, training=False):
        mean, log_var = tf.split(self.encoder(inputs), 2, axis=-1)
        return self.decoder(mean)

    def losses_of(self, inputs, targets):
        mean, log_var = tf.split(self.encoder(inputs), 2, axis=-1)
        sampled = mean + tf.exp(0.5 * log_var) * tf.random.normal(tf.shape(mean))
        rebuilt = self.decoder(sampled)
        reconstruction = tf.reduce_mean(tf.reduce_sum(tf.square(targets - rebuilt), axis=-1))
        kl = -0.5 * tf.reduce_mean(tf.reduce_sum(1 + log_var - tf.square(mean) - tf.exp(log_var), axis=-1))
        return reconstruction + self.beta * kl, kl

    def train_step(self, data):
        inputs, targets = data
        with tf.GradientTape() as tape:
            loss, kl = self.losses_of(inputs, targets)
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_weights))
        return self.tracked(loss, kl)

    def test_step(self, data):
        return self.tracked(*self.losses_of(*data))

    def tracked(self, loss, kl):
        self.loss_tracker.update_state(loss)
        self.kl_tracker.update_state(kl)
        return {metric.name: metric.result() for metric in self.metrics}
