"""Benchmarks: everything is compared side by side in one run; ratios are what carries over to other machines."""
