"""The rules by which a numeral gets its status, by name, with what each means. What they match is in `statuses.py`."""

from __future__ import annotations

from pipelines.extract.contract import Status

# A numeral is set aside by one of these rules or not at all.
IGNORED: dict[str, str] = {
    "url": "It stands in an address of the web.",
    "markup": "It stands in a tag of HTML or in a code for a terminal.",
    "date": "It is a day, a month, a quarter or a year.",
    "calendar_span": "It counts weeks, months or years, in which no benchmark of this ledger is measured.",
    "time_of_day": "It is a time of day.",
    "ordinal": "It is an ordinal number, such as 2nd.",
    "list_number": "It numbers an item of a list or a heading.",
    "reference": "It numbers a table, a figure, a section, a page or a footnote.",
    "rack_units": "It is a height in rack units, such as 5U.",
    "mapping_ignores": "It stands in a column that the mapping of its source says is of no interest.",
    "hardware_specification": "It is a size, a peak or a clock of hardware (GB, TFLOPS, GHz, nm), not measured.",
    "share_of_whole": "It is a percentage of a whole, with no word of comparison and no metric beside it.",
    "count_of_things": "It counts people, organisations, publications, products or parts of a text.",
    "amount_of_business": "It is an amount of money raised, earned or traded, not the price of a system.",
    "page_number": "It numbers a slide or a page.",
    "log_bar_without_epoch": "It stands in a bar that ends no epoch, as it is not finished.",
    "log_message": "It stands in a message of the training framework, such as a time stamp.",
    "log_step": "It stands in a line that a program prints for each step, or to show how far it is.",
    "log_other_rank": "It stands in a line of another process of the run; what the first one prints is read.",
    "log_count": "It counts what a benchmark program did: requests, tokens, seconds it ran.",
    "log_repeated": "It repeats a value of the same run that was extracted further up.",
    "model_summary": "It stands in a model summary: shapes and parameters of single layers.",
}

EXTRACTED: dict[str, str] = {
    "measurement": "It lies in the place of an extracted measurement.",
    "claim": "It lies in the place of an extracted claim.",
    "run": "It lies in the place of the training time of an extracted run.",
    "epoch": "It lies in the place of the time of an extracted epoch.",
    "price": "It lies in the place of an extracted price.",
    "chart_value": "It is printed at a bar of a drawn chart, beside what its geometry says.",
    "submission": "It lies in the place of an extracted submission identifier.",
    "epoch_field": "It is another value of an extracted epoch: time per step, loss.",
    "run_field": "It is another value of an extracted run: its parameters.",
}

CONDITION: dict[str, str] = {
    "extracted_condition": "It is part of a condition that an extracted row holds.",
    "table_row": "It qualifies the values of its table row: batch size, precision, SDK, sequence length.",
    "table_heading": "It stands in the heading of a column that was read.",
    "chart_notes": "It stands in the notes of a chart, which say how both sides were run.",
    "baseline_bar": "It labels the bar that the others are compared with: 1x.",
    "axis_ticks": "It is a tick on the axis of a chart.",
    "epoch_number": "It numbers an epoch of a log, or says how many were planned.",
    "epoch_steps": "It counts the steps of an epoch.",
    "run_condition": "It says on how many devices or with which batch size a run of a log was made.",
    "log_setting": "It is a setting that a program printed of its run: an argument, a batch size, a model.",
    "count_of_systems": "It counts the systems or parts of them that a number was measured on.",
    "version": "It is the release of software, of a model or of a benchmark suite.",
    "number_format": "It is a width of numbers in bits, such as FP16 or 16.16.",
    "setting": "It is a batch size, a length, a threshold or another setting of a run.",
    "model_size": "It is a size of a model: layers, units, parameters.",
}

NAME: dict[str, str] = {
    "known_name": "It is part of a model, platform, framework or dataset that the vocabulary knows.",
    "extracted_name": "It is part of a name that an extracted row holds.",
    "word_with_digits": "It is part of a word that begins with letters, such as a product name.",
    "unknown_name": "It is part of a name that no vocabulary knows, as the grammar of the sentence tells.",
    "memory_of_platform": "It is the memory size that belongs to a platform's name.",
}

UNPARSED: dict[str, str] = {
    "rejected": "It stands in something that was refused; `audit.rejects` says why.",
    "unknown_column": "It stands below a heading that no vocabulary knows.",
    "row_does_not_fit": "It stands in a table row that does not fit its header.",
    "unread_table": "It stands in a table that cannot be read because of its headings.",
    "metric_not_kept": "It is a metric of an epoch for which no table has a column.",
    "summary_not_kept": "It is a value of a program's summary that no metric is kept of: a minimum, a deviation.",
    "log_evaluation": "It stands in the bar of an evaluation or a prediction, of which no row is made.",
    "log_line_unread": "It stands in a line of a log that no rule knows.",
    "bar_without_axis": "It stands at a bar of a chart whose axis is not known.",
    "unread_benchmark": "A benchmark's unit or a word of comparison stands beside it, and nothing was extracted.",
    "unread_price": "It is an amount of money that was not read as a price.",
    "unread_number": "No rule knows what it is.",
    "no_format": "No source format could read the document.",
}

RULES: dict[Status, dict[str, str]] = {
    "extracted": EXTRACTED,
    "condition": CONDITION,
    "name": NAME,
    "ignored": IGNORED,
    "unparsed": UNPARSED,
}
