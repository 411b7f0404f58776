"""What stands in the lines of a training log, and which epoch a bar is. Rows are made in `training_log`."""
