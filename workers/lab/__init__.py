"""The laboratory: training, evaluation, simulated feeds and the papers' experiments."""
