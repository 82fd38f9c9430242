"""The `templ` command, one file per subcommand."""
