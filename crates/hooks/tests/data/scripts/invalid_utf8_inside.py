"""A refusal whose reason holds bytes that are no text."""
import sys

sys.stdin.buffer.read()
sys.stdout.buffer.write(b'{"decision":"block","reason":"bad \xff byte"}')
