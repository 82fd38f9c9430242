"""The polite crawler, and the pipeline for people who have a crawler of their own."""
