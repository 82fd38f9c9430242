"""What another page model, setting or state would change, before it is used."""
