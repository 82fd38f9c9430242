"""The topic `site-settings`: following it, writing to it, and taking sites down from all topics."""
