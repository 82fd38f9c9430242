"""The workers' errors: each ends a command with one line and an exit code.

WorkerError            exit code 1
├── UsageProblem       2   an argument or a setting that cannot be used
├── InputProblem       66  an input file that cannot be read
├── BrokerProblem      69  the broker cannot be reached, or refuses
├── StateProblem       73  the state directory is of another version, in use or not writable
├── DiskProblem        74  a store cannot be written: the disk is full, or fails
└── TopicProblem       78  a topic that is missing or has the wrong settings
"""


class WorkerError(Exception):
    """Something a person has to mend; the message says what is wrong and what to do."""

    exit_code = 1


class UsageProblem(WorkerError):
    """An argument or a setting that cannot be used."""

    exit_code = 2


class InputProblem(WorkerError):
    """An input file that cannot be read."""

    exit_code = 66


class BrokerProblem(WorkerError):
    """The broker cannot be reached, or refuses."""

    exit_code = 69


class StateProblem(WorkerError):
    """The state directory is of another version, in use by another process, or not writable."""

    exit_code = 73


class OtherFormat(StateProblem):
    """A store that another version has written; where it can be rebuilt, it is."""


class DiskProblem(WorkerError):
    """A store cannot be written: the disk is full, or fails; a worker tries again until it can."""

    exit_code = 74


class TopicProblem(WorkerError):
    """A topic that is missing or has the wrong settings."""

    exit_code = 78
