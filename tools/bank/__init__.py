"""Scripts as strangers write them, healthy and broken, and what is known of each: tests/bank."""
