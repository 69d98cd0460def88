#!/bin/sh
# Refuses by its code and leaves a child in a session of its own that holds the pipes.
setsid sh -c 'echo up > "$0.up"; echo $$ > "$0"; exec sleep 300' "$1" &
read -r up < "$1.up"
echo "no from sh" >&2
exit 2
