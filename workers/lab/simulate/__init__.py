"""Synthetic web sites whose template and content are known exactly."""
