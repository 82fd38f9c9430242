"""The core as one object that learns sites: pages in, clean text out, and what was learned as bytes."""
