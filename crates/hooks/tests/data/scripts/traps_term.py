"""Ignores TERM and waits. Says who it is through the fifo of its argument."""
import os
import signal
import sys
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(sys.argv[1], "w") as fifo:
    fifo.write(f"{os.getpid()}\n")
while True:
    time.sleep(1)
