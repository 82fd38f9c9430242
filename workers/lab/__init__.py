"""Training, evaluation, simulation and the experiments of the papers."""
