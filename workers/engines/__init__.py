"""Steps that clean whole crawls on engines for large batches; each engine is an extra of this package."""
