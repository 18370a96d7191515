"""data.py FILE COUNT: the values the peers log, for our own program."""

import sys

import numpy
from common import rows

numpy.array(rows(int(sys.argv[2]))).tofile(sys.argv[1])
