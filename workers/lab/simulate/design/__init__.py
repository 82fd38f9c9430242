"""The look of a synthetic site: its markup habits, its boxes, and what stands where."""
