"""From a wish to a mechanism."""
