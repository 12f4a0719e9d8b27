"""What whoever runs the clinic sees of it: a page for people, and metrics for Prometheus."""
