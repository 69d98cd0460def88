//! What a tool is, what a call is, and the ports between the layers of pegboard.
