"""Makes the environments of plugins: run by the worker as `install_plugin.py`, never imported by operations.

Everything that comes out of a wagon is hostile until proved otherwise, and no code of it is run while it is installed.
"""
