"""The `templ` command as `python -m workers`, by which processes start each other."""

from workers.cli.main import main

if __name__ == "__main__":
    main()
