"""Alerts: facts become a message, a message goes once to each channel."""

from trace_pipeline.alerts.channels import Channel, make_channel
from trace_pipeline.alerts.delivery import (
    CLAIM_STALE_AFTER,
    Delivery,
    DeliveryStore,
    deliver_all,
    deliver_once,
)
from trace_pipeline.alerts.facts import AlertFacts, Contribution, EvidenceLog, facts_from_mapping
from trace_pipeline.alerts.message import AlertMessage, render_message

__all__ = [
    "CLAIM_STALE_AFTER",
    "AlertFacts",
    "AlertMessage",
    "Channel",
    "Contribution",
    "Delivery",
    "DeliveryStore",
    "EvidenceLog",
    "deliver_all",
    "deliver_once",
    "facts_from_mapping",
    "make_channel",
    "render_message",
]
