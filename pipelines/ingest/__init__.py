"""The store under `raw/`: sources, snapshots, sidecars. Reading documents belongs in `extract`."""
