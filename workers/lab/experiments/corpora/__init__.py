"""Pages of corpora, as the experiments read them."""
