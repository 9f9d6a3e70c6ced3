"""The studio: draw a mechanism in the browser, see its structure while you draw, and drive it by dragging.

A document is the mechanism file as plain data; commands make a new document from an old one; a session keeps the
documents, checks each with `Mechanism` itself, and drives the mechanism. The server only carries messages: `session`
documents them. Everything is bound to this machine and to one token; see `guard`.
"""
