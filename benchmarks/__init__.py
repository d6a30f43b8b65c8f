"""Benchmarks of speed, scoring quality and drift."""
