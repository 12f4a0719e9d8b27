"""Which of the two frameworks this machine can run. Neither is imported to tell."""

from importlib.util import find_spec

from debugger.run import Framework


def installed(framework: Framework) -> bool:
    """PyTorch always is; TensorFlow may be left out, and is no use without tf-keras."""
    return framework == "pytorch" or all(map(find_spec, ("tensorflow", "tf_keras")))
