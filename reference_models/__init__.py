"""Reference models: learners to compare with, small enough to read. One file per family."""

LEARNERS = {
    "beta-vae": "beta_vae:BetaVaeLearner",
    "conv1d-autoencoder": "autoencoders:Conv1dLearner",
    "mlp-autoencoder": "autoencoders:MlpLearner",
    "shared-cell-autoencoder": "autoencoders:SharedCellLearner",
}
"""``reference:NAME`` by name: module of this package and class, imported when it is asked for."""
