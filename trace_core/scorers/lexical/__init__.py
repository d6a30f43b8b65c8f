"""The lexical scorer: features of shared words, four logistic regressions, hard sets by count."""

from trace_core.scorers.lexical.scorer import LexicalScorer

__all__ = ["LexicalScorer"]
