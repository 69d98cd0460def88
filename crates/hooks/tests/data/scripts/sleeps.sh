#!/bin/sh
# Never reads standard input and sleeps. Says who it is through the fifo $1.
echo $$ > "$1"
exec sleep 300
