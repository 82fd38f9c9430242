"""The child processes of a worker and the tasks that they perform."""
