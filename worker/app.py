"""The Celery app, configured from the league's settings. What the values are for is in README.md."""

from __future__ import annotations

import re
from typing import Any

from celery import Celery

from referee.settings import Settings
from worker import spool

POLL_SECONDS = 0.02
HINT_SECONDS = 120
"""A message older than this is dropped unread: the conductor has long sent another."""
BUILDS = "builds"
"""The queue of uploads to judge and ratings to fit, shared by all builders."""

app = Celery("ninefold", include=["worker.tasks"], set_as_current=True)


def configure(settings: Settings) -> Celery:
    """The app talks to the league's broker: a folder of the data folder, or the server at `settings.broker_url`."""
    app.conf.update(
        **_broker(settings),
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        task_default_queue=BUILDS,
        task_create_missing_queues=True,
        task_serializer="json",
        accept_content=["json"],
        worker_prefetch_multiplier=2,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry=True,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_connection_timeout=4,
        broker_heartbeat=10,
        enable_utc=True,
        timezone="UTC",
    )
    return app


def fixture_queue(machine: str) -> str:
    """The queue of the fixtures that a machine is to play."""
    return "fixtures-" + re.sub(r"[^A-Za-z0-9_-]+", "-", machine)


def send(task: str, argument: Any, queue: str) -> None:
    """The hint is in the queue; raises what the broker raises, at once, when it cannot be reached."""
    app.send_task(
        task,
        args=[argument],
        queue=queue,
        expires=HINT_SECONDS,
        retry=False,
        ignore_result=True,
    )


def reach() -> None:
    """The broker answers within seconds; raises what it raises when it does not."""
    shorter = {"socket_timeout": 4} if "socket_timeout" in app.conf.broker_transport_options else {}
    with app.connection_for_write(transport_options=shorter) as connection:
        connection.connect()


def _broker(settings: Settings) -> dict[str, Any]:
    url = settings.broker_url
    if not url:
        folder = settings.data_dir / "queue"
        spool.prepare(folder)
        return {
            "broker_url": "filesystem://localhost/",
            "broker_transport": "worker.spool:Transport",
            "broker_transport_options": {
                "data_folder_in": str(folder),
                "data_folder_out": str(folder),
                "control_folder": str(folder / "control"),
                "polling_interval": POLL_SECONDS,
            },
        }
    if url.startswith(("redis", "valkey")):
        # What a killed worker had fetched comes back after visibility_timeout; a longer fixture is offered twice, which
        # the store makes harmless. The sweep runs every 10 s instead of every 100 s.
        return {
            "broker_url": url,
            "broker_transport": None,
            "broker_transport_options": {
                "visibility_timeout": 60,
                "unacked_restore_interval": 10,
                "unacked_restore_throttle": 1,
                "socket_timeout": 15,
                "socket_connect_timeout": 4,
                "socket_keepalive": True,
                "health_check_interval": 10,
            },
        }
    return {"broker_url": url, "broker_transport": None, "broker_transport_options": {"confirm_publish": True}}
