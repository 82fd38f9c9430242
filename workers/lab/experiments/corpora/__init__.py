"""The pages of corpora, in the forms that the experiments need."""
