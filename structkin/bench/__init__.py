"""Measurements that users can repeat: the comparison of methods on the scalable four-bar."""
