"""Reads nothing and prints 10 MB to both streams, then a refusal in JSON on the last line."""
import sys

for _ in range(160):
    sys.stdout.write("x" * 65536)
    sys.stderr.write("y" * 65536)
sys.stdout.write('\n{"decision":"block","reason":"after 10 MB"}\n')
