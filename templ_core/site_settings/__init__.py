"""What operators decide about the pages of one site, whatever the evidence says."""
