"""Commands that look at sites and correct what was learned of them."""
