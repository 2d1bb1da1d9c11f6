"""Recorded weights of reference models, one ONNX file and its decoder for each split; ``recorded.json`` lists them."""
