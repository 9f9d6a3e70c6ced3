"""Small steps in space (S3): Newton-Euler equations body by body, with joints as stiff springs and dampers."""
