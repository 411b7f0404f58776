"""Messages to the webhook in `BENCHLEDGER_WEBHOOK`: failed runs, and the alerts of the query
`changes`.
"""

# No `from __future__ import annotations` here: Dagster looks at the annotation of a sensor's
# context itself.

import asyncio
import html
import json
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import dagster as dg
import httpx

from pipelines.assets.schedule import fail_for_sources
from pipelines.object_addresses import address_of
from pipelines.remote.publishing import bring
from pipelines.settings import warehouse_folder, webhook
from pipelines.terminal import visible
from pipelines.warehouse.queries import command_query
from pipelines.warehouse.reader import FILE_NAME, query_published

# Chat programs refuse long messages: lines of the text, characters of a line, and items of
# `alerts`.
_LINES, _CHARACTERS, _ALERTS = 20, 300, 100
# For connecting, sending and the head of the answer together: a receiver may send a byte a second.
_ANSWERED_AFTER_S = 30.0
_CHANGES = command_query("changes")


async def _post(address: str, message: Mapping[str, Any]) -> int:
    """Post a message; the status of the answer, whose body is not read."""
    async with (
        httpx.AsyncClient() as client,
        client.stream("POST", address, json=message) as answer,
    ):
        return answer.status_code


def alert_sensors() -> list[dg.SensorDefinition]:
    """The sensors that post to the webhook; none where it is not set."""
    if not (address := webhook()):
        return []
    logging.getLogger("httpx").setLevel(logging.WARNING)

    def post(lines: Sequence[str], **fields: Any) -> None:
        shown = [visible(line, keep="")[:_CHARACTERS] for line in lines[:_LINES]]
        if len(lines) > _LINES:
            shown.append(f"and {len(lines) - _LINES} more: `benchledger changes --alerts`")
        # Chat programs would obey `<!channel>` of a document, and show `<address|text>` as a link.
        text = html.escape("\n".join(shown), quote=False)
        # The address is a secret, and errors and logs of httpx have it.
        try:
            answer = _post(address, {"text": f"benchledger: {text}"} | fields)
            status = asyncio.run(asyncio.wait_for(answer, _ANSWERED_AFTER_S))
        except (httpx.HTTPError, TimeoutError) as error:
            raise RuntimeError(f"the webhook cannot be reached: {type(error).__name__}") from None
        if not 200 <= status < 300:
            raise RuntimeError(f"the webhook answered with status {status}")

    @dg.run_failure_sensor(
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Posts the job, the run and the reason of a failed run to BENCHLEDGER_WEBHOOK, as JSON.",
    )
    def report_failed_runs(context: dg.RunFailureSensorContext) -> None:
        run = context.dagster_run
        steps = context.get_step_failure_events()
        # The sources that it names are alerts of the build that follows, each once and not at every
        # fetch.
        if {step.step_key for step in steps} == {fail_for_sources.name}:
            return
        errors = [step.step_failure_data.error for step in steps]
        reasons = [(error.cause or error).message.strip() for error in errors if error]
        reason = "; ".join(reasons) or context.failure_event.message
        post([f"{run.job_name} failed: {reason}"], job=run.job_name, run_id=run.run_id)

    @dg.sensor(
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Posts each new alert of `benchledger changes` to BENCHLEDGER_WEBHOOK, once, as JSON. The first "
        "tick posts nothing: it records the alerts that exist already. A message that is refused is sent again.",
    )
    def report_alerts(context: dg.SensorEvaluationContext) -> dg.SkipReason:
        folder = warehouse_folder()
        published = folder / FILE_NAME
        if address_of(folder):
            bring(folder)
        if not published.exists():
            return dg.SkipReason("there is no warehouse yet")
        before: Mapping[str, Any] = json.loads(context.cursor or "{}")
        built_ns = published.stat().st_mtime_ns
        if before.get("built_ns") == built_ns:
            return dg.SkipReason("the warehouse is unchanged")
        rows = query_published(published, _CHANGES, [datetime.min]).to_pylist()
        alerts = {row["change_id"]: row for row in rows if row["is_alert"]}
        known = {*before.get("posted", alerts)}
        if new := [row for change_id, row in alerts.items() if change_id not in known]:
            lines, stated = [], []
            for row in new:
                alert = {name: row[name] for name in ("change_id", "event", "source", "text")}
                stated.append(alert | {"at": row["snapshot_at"].isoformat()})
                about = row["source"] or "several sources"
                lines.append(f"{about}: {row['event'].replace('_', ' ')}: {row['text']}")
            post(lines, alerts=stated[:_ALERTS], alerts_not_listed=len(stated[_ALERTS:]))
        context.update_cursor(json.dumps({"built_ns": built_ns, "posted": sorted(alerts)}))
        return dg.SkipReason(f"{len(new)} alerts were posted")

    return [report_failed_runs, report_alerts]
