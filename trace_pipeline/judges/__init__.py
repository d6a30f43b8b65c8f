"""Scorers that ask a language model: what is asked, what it costs, what leaves, and what comes of it."""
