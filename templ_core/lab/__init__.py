"""The laboratory: metrics, training and the experiments of papers; the product imports none of it."""
