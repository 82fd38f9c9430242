"""Traces of pages by OpenTelemetry; nothing of it is imported unless an exporter is configured."""
