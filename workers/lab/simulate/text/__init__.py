"""What a synthetic site says."""
