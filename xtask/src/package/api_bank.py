"""Starts the program api-bank beside this file."""

import os
import signal
import subprocess
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "api-bank")
    if os.name != "nt":
        os.execv(program, [program, *sys.argv[1:]])
    # The console interrupts both; the program decides when to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(subprocess.call([program + ".exe", *sys.argv[1:]]))
