"""The scorer `nli`: a cross-encoder of the user's own, in a local folder, run on onnxruntime. No network."""
