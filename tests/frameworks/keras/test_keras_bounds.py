"""The stages that train end when their time is up."""

from __future__ import annotations

from typing import Any

import tiny_keras as tiny

from debugger.frameworks.keras.pipeline import pipeline
