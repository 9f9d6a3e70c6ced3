"""`python -m structkin`: the command line, for systems where the script `structkin` is not on the path."""

from structkin.cli import main

if __name__ == "__main__":
    main()
