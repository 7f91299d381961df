"""The one border that whatever an author sends must pass: archive, manifest, dependency files, digest.

Everything here is hostile until judged. Nothing of an upload is run, and nothing is written before all of it is judged.
"""
