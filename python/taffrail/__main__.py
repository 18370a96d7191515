"""`python -m taffrail …` is the command `taffrail` of this environment, also where its folder is not on the path."""

import os
import sys

from taffrail.notebook import command

if __name__ == "__main__":
    os.execv(command(), ["taffrail", *sys.argv[1:]])
