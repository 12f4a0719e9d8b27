import tensorflow as tf
from transformers import BertConfig, TFBertModel


class MoodModel(tf.keras.Model):
    def __init__(self, vocab_size, classes, rate=0.1):
        super().__init__()
        config = BertConfig(
            vocab_size=vocab_size, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
            intermediate_size=96, max_position_embeddings=32,
        )
        self.bert = TFBertModel(config, name="bert")
        self.dropout = tf.keras.layers.Dropout(rate)
        self.classifier = tf.keras.layers.Dense(classes, name="classifier")

    def call(self, inputs, training=False):
        states = self.bert(inputs, training=training).last_hidden_state
        return self.classifier(self.dropout(states[:, 0], training=training))
