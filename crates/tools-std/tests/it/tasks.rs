//! Background tasks: TaskOutput, TaskStop, Monitor.
