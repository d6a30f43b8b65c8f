"""The pages "RAG quality": a FastAPI app that reads views of the results and, for texts, the source."""
