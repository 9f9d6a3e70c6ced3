"""Integrators of ordinary differential equations at fixed and adaptive steps, and their stability."""
