"""Assignments and certificates on screens, without gradio."""
