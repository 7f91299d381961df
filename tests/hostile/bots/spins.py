"""Computes without end when it is asked."""

from _deed import at_third_decision, spin

at_third_decision(lambda: spin(1000))
