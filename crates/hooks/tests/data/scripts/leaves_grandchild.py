"""Forks twice into a session of its own; the grandchild holds all pipes and sleeps. The first process waits too."""
import os
import sys
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open(sys.argv[1], "w") as fifo:
            fifo.write(f"{os.getpid()} {os.getppid()}\n")
        time.sleep(300)
    time.sleep(300)
time.sleep(300)
