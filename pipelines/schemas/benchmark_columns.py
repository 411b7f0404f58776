"""Columns about identities, benchmarks, measured values, claims and drawn charts."""

from __future__ import annotations

from pipelines.schemas.column import BOUNDS, ID, Column

_CHARTS = "resolved.chart_values"

COLUMNS = (
    # identity
    Column("result_id", "text", "identifier of the measured number at its place", pattern=ID),
    Column("claim_id", "text", "identifier of the claim", pattern=ID),
    Column("run_id", "text", "identifier of the training run", pattern=ID),
    Column("configuration_id", "text", "identifier of one side of a comparison", pattern=ID),
    Column(
        "benchmark_key",
        "text",
        "hash of what was measured: the same for the same benchmark in every release",
        pattern=ID,
    ),
    # what was measured
    Column("task", "text", "training or inference, where the document says so", one_of=("training", "inference")),
    Column("suite", "text", "benchmark suite that the row belongs to, such as MLPerf Training v2.0"),
    Column("stage", "text", "stage of training", one_of=("pre-training", "fine-tuning")),
    Column("phase", "integer", "phase of the stage, from 1", at_least=1),
    Column("model", "text", "canonical name of the model; the printed one where no vocabulary knows it"),
    Column("model_printed", "text", "model as printed"),
    Column("variant_printed", "text", "variant cell as printed"),
    Column("variant_name", "text", "words of the variant that are no stage, length, size or configuration"),
    Column("sequence_length", "integer", "tokens per sequence", at_least=1),
    Column("is_packed", "flag", "true where packed sequences are stated; null where nothing is said"),
    Column("image_size", "text", "image size in pixels as printed"),
    Column("configuration", "text", "how the benchmark was run, such as lowest latency"),
    Column("attributes", "text", "other columns that define the benchmark, such as Input Length 128, TP Degree 8"),
    Column("platform", "text", "canonical name of the platform; the printed one where no vocabulary knows it"),
    Column("platform_printed", "text", "platform as printed"),
    Column("vendor", "text", "who makes the platform's accelerator"),
    Column("accelerator", "text", "device as printed in the log's heading"),
    Column("accelerator_printed", "text", "device as printed in the log's heading"),
    Column("accelerator_count", "integer", "accelerators used: as printed, else the chips of the platform", at_least=1),
    Column("sdk_version", "text", "SDK release as printed, without the word SDK"),
    Column(
        "unnamed_platform",
        "text",
        "what stands for the platform in benchmark_key where none is printed: source, section, number among like rows",
    ),
    Column(
        "sdk_order",
        "integers",
        "sdk_version for comparing releases: its numbers, then 0, or less for what came before the final release; "
        "2.10 comes after 2.9, 2.4.0 is 2.4, 3.4-rc1 comes before 3.4",
    ),
    Column("framework", "text", "canonical name of the framework; the printed one where no vocabulary knows it"),
    Column("framework_printed", "text", "framework as printed"),
    Column(
        "dataset", "text", "canonical name of the dataset or challenge; the printed one where no vocabulary knows it"
    ),
    Column("dataset_printed", "text", "dataset as printed"),
    Column("batch_size", "integer", "batch size (micro batch size where that is what is printed)", at_least=1),
    Column("batch_sizes_printed", "text", "batch sizes of a curve as printed, such as 4 through 360"),
    Column("batch_size_low", "integer", "smallest batch size of the curve", at_least=1),
    Column("batch_size_high", "integer", "largest batch size of the curve; null where the list is open", at_least=1),
    Column("precision", "text", "number format: activations.weights in bits, or FP32, INT8, mixed"),
    Column(
        "activation_bits",
        "integer",
        "width of activations and gradients in bits, where the document defines it",
        at_least=1,
    ),
    Column("weight_bits", "integer", "width of the stored weights in bits, where the document defines it", at_least=1),
    Column("division", "text", "division of the submission, such as Closed or Open"),
    Column("submission_id", "text", "identifier of the submission, such as an MLPerf ID"),
    Column("quality_target", "text", "quality that training had to reach, as printed"),
    Column("ranking", "text", "rank in the competition, as printed"),
    Column("measured_by", "text", "who measured, as printed"),
    Column(
        "role", "text", "side of the comparison; other where it cannot be told", one_of=("subject", "baseline", "other")
    ),
    # values
    Column("metric", "text", "what was measured: throughput, latency, time_to_train ... as in the vocabulary"),
    Column("value", "number", "measured value in the canonical unit of the column unit"),
    Column("value_low", "number", "least value that the printed rounding and bound allow"),
    Column("value_high", "number", "greatest value that the printed rounding and bound allow"),
    Column("bound", "text", "eq for a plain number, else what the words before it say", one_of=BOUNDS),
    Column("unit", "text", "canonical unit of the value"),
    Column("unit_printed", "text", "unit as printed beside the value or in the heading"),
    Column(
        "item",
        "text",
        "what is counted per second, as the page or the vocabulary says: images, sequences, tokens ...; else null",
    ),
    Column("value_printed", "text", "value as printed"),
    # known errors of sources
    Column("correction", "text", "known error of the source that the number is, by its name in corrections.yml"),
    Column(
        "correction_action",
        "text",
        "what is done about it: flag marks it, override corrects it, drop takes it out of main",
        one_of=("flag", "override", "drop"),
    ),
    Column("value_uncorrected", "number", "printed value in the canonical unit, where value holds a corrected one"),
    Column("known_in", "texts", "sources and document_ids in which the error must stand as long as they are stored"),
    Column("is_anywhere", "flag", "true where the same row is meant in every other document as well"),
    Column("expected", "texts", "numbers that the row must print, each as metric and printed text"),
    # claims
    Column(
        "subject_platform", "text", "platform that the claim praises; the printed name where no vocabulary knows it"
    ),
    Column("subject_printed", "text", "the praised platform as printed"),
    Column("baseline_platform", "text", "platform it is compared with; the printed name where no vocabulary knows it"),
    Column("baseline_printed", "text", "the compared platform as printed"),
    Column("subject_sdk_version", "text", "SDK release of the subject"),
    Column("baseline_sdk_version", "text", "SDK release of the baseline"),
    Column(
        "factor", "number", "claimed ratio as printed, the subject's advantage; 10x lower latency is 10", at_least=0
    ),
    Column("factor_low", "number", "least factor that the printed rounding and bound allow", at_least=0),
    Column("factor_high", "number", "greatest factor that the printed rounding and bound allow", at_least=0),
    Column("conditions", "text", "conditions of the comparison as printed, joined by semicolons"),
    Column("sentence", "text", "the sentence or headline that claims it"),
    Column(
        "repeats_line", "integer", "line of the headline that this label repeats; null for the claim itself", at_least=1
    ),
    Column("repeat_evidence_ids", "texts", "places that print the same claim again, such as bar labels"),
    # logs
    Column("epochs", "integer", "epochs finished", at_least=0),
    Column("epochs_planned", "integer", "epochs planned, as the epoch headings say", at_least=1),
    Column("training_time_s", "number", "total training time stated by the log, in seconds", at_least=0),
    Column("submitter", "text", "who submitted the run to MLPerf, as the log says"),
    *(
        Column(
            "status",
            "text",
            "how the run ended, as a log of MLPerf says: success, aborted ...; unfinished where it has no end, "
            "unstated where the end does not say; null for other logs",
            table=table,
        )
        for table in ("extracted.runs", "resolved.training_runs")
    ),
    Column("quality_reached", "number", "quality that the last evaluation of the run found, in the benchmark's metric"),
    Column("seed", "integer", "seed of the run's random numbers"),
    Column("samples", "integer", "samples that the run trained on", at_least=0),
    Column(
        "scored_as",
        "text",
        "counted: part of the score that result_id names; fastest, slowest: dropped from it by the rules of MLPerf",
        one_of=("counted", "fastest", "slowest"),
    ),
    Column(
        "result_id",
        "text",
        "score that the run was made for, see scored_as",
        pattern=ID,
        table="resolved.training_runs",
    ),
    Column("total_parameters", "integer", "parameters of the model", at_least=0),
    Column("trainable_parameters", "integer", "trainable parameters of the model", at_least=0),
    Column("run_line", "integer", "line that the run starts on", at_least=1),
    Column("epoch", "integer", "epoch of the run, from 1; of a table's value where its heading names one", at_least=1),
    Column("steps", "integer", "steps of the epoch", at_least=0),
    Column("epoch_time_s", "number", "time of the epoch in seconds, as the progress bar prints it", at_least=0),
    Column("step_time_ms", "number", "time per step in milliseconds, as the progress bar prints it", at_least=0),
    Column("loss", "number", "loss at the end of the epoch; null when nan"),
    Column("loss_is_nan", "flag", "true where the log prints nan"),
    # prices
    Column("price_usd", "number", "price in US dollars, of a system or of an hour of it as the unit says", at_least=0),
    Column("unit", "text", "USD for a system, USD/h for an hour of it", table="resolved.prices"),
    Column("terms", "text", "what the price is for: list buys the system, on demand and reserved rent it"),
    Column(
        "price_low_usd", "number", "least price that the printed rounding and bound allow, in US dollars", at_least=0
    ),
    Column(
        "price_high_usd",
        "number",
        "greatest price that the printed rounding and bound allow, in US dollars",
        at_least=0,
    ),
    Column("chart_value_id", "text", "identifier of the bar or point", pattern=ID),
    Column("drawn_page", "integer", "page that the bar or point is drawn on, from 1", at_least=1),
    Column("drawn_x0", "number", "left edge of the bar's or point's box in points, cut to the plot"),
    Column("drawn_top", "number", "upper edge of that box in points"),
    Column("drawn_x1", "number", "right edge of that box in points"),
    Column("drawn_bottom", "number", "lower edge of that box in points"),
    Column("page", "integer", "page that the bar or point is drawn on, from 1", at_least=1, table=_CHARTS),
    Column(
        "x0",
        "number",
        "left edge of the bar's or point's box in points, cut to the plot",
        table=_CHARTS,
    ),
    Column("top", "number", "upper edge of that box in points", table=_CHARTS),
    Column("x1", "number", "right edge of that box in points", table=_CHARTS),
    Column("bottom", "number", "lower edge of that box in points", table=_CHARTS),
    Column("chart_number", "integer", "number of the chart on its page, from 1", at_least=1),
    Column("mark_number", "integer", "number of the bar or point in its chart, from 1", at_least=1),
    Column("mark", "text", "what is drawn", one_of=("bar", "line_point", "scatter_point")),
    Column(
        "method",
        "text",
        "where the value is from: a number printed at the bar, the geometry and the axis, or, without an axis, the "
        "ratio to the shortest bar",
        one_of=("printed", "geometry", "ratio"),
    ),
    Column("series_printed", "text", "what the legend says of the colour; unknown where no legend does"),
    Column("category_printed", "text", "label at the place of the bar or point; unknown where none stands there"),
    Column("x_value", "number", "value on the other axis, where that is a scale"),
    Column("axis_printed", "text", "title of the value axis"),
    Column("axis_scale", "text", "linear or log (base ten); null without an axis", one_of=("linear", "log")),
    Column("printed_value", "number", "number printed at the bar; without an axis the factor claimed beside it"),
    Column("printed_low", "number", "least value that the rounding of the printed number allows"),
    Column("printed_high", "number", "greatest value that the rounding of the printed number allows"),
    Column("drawn_value", "number", "what the geometry says"),
    Column("drawn_low", "number", "least value that the precision of the drawing allows"),
    Column("drawn_high", "number", "greatest value that the precision of the drawing allows"),
    Column(
        "agrees", "flag", "true where printed number and drawn value meet within their intervals; null without both"
    ),
)
