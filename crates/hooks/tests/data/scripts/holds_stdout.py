"""Refuses in JSON and leaves a child in a session of its own that holds the pipes."""
import os
import subprocess
import sys

child = subprocess.Popen(["sleep", "300"], start_new_session=True)
with open(sys.argv[1], "w") as fifo:
    fifo.write(f"{child.pid}\n")
print('{"decision":"block","reason":"no from python"}')
sys.stdout.flush()
os._exit(0)
