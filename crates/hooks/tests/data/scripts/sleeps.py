"""Never reads standard input and sleeps. Says who it is through the fifo of its argument."""
import os
import sys
import time

with open(sys.argv[1], "w") as fifo:
    fifo.write(f"{os.getpid()}\n")
time.sleep(300)
