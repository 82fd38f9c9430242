"""Files and messages of crawlers to pages."""
