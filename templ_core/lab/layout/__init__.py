"""Declared sizes and an estimated layout of pages, for methods that need positions on a screen."""
