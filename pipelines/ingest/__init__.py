"""The store under `raw/`: sources, snapshots, sidecars. Reading what a document says belongs in `extract`."""
