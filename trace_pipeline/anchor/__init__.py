"""The anchor set: frozen logs judged each night, to tell a scorer that changed from answers that did."""
