"""`python -m fewlabels` is the command line."""

from fewlabels.cli import main

if __name__ == "__main__":
    main()
