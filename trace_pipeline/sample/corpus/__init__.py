"""The texts of the sample traffic: one folder a language, documents with their questions and answers."""
