"""Reference models: learners to compare with, small enough to read. One file per family."""

LEARNERS = {
    "autoencoder": "representations:FlatLearner",
    "beta-tcvae": "representations:TcVaeLearner",
    "beta-vae": "beta_vae:BetaVaeLearner",
    "cofhae": "cofhae:CofhaeLearner",
    "conv1d-autoencoder": "autoencoders:Conv1dLearner",
    "factor-vae": "representations:FactorVaeLearner",
    "mlp-autoencoder": "autoencoders:MlpLearner",
    "shared-cell-autoencoder": "autoencoders:SharedCellLearner",
    "vae": "representations:VaeLearner",
}
"""``reference:NAME`` by name: module of this package and class, imported when it is asked for."""
