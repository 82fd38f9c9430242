"""`python -m workers`: the `templ` command, for processes that start each other."""

from workers.cli.main import main

if __name__ == "__main__":
    main()
