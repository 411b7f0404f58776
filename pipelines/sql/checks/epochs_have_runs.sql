-- Epochs without a run, and runs with a wrong number of epochs; MLPerf runs have only the count.
select r.run_id, r.epochs, count(e.epoch) as epochs_found
from resolved.training_runs as r
full outer join resolved.training_epochs as e on r.run_id = e.run_id
group by r.run_id, r.epochs, r.status
having r.run_id is null or (r.epochs <> count(e.epoch) and r.status is null)
