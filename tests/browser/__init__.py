"""Tests that play at the table in a real Chromium."""
