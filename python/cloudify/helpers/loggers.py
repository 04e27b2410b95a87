"""Loggers that do not write to the manager."""
import logging
import sys
from typing import Iterable, Optional


def setup_logger(logger_name: str, logger_level: int = logging.INFO, handlers: Optional[Iterable[logging.Handler]] = None,
                 remove_existing_handlers: bool = True, logger_format: Optional[str] = None, propagate: bool = True
                 ) -> logging.Logger:
    """A named logger that writes to standard output, or to the given handlers."""
    logger = logging.getLogger(logger_name)
    if remove_existing_handlers:
        logger.handlers[:] = []
    formatter = logging.Formatter(
        logger_format or '%(asctime)s [%(levelname)s] [%(name)s] %(message)s', datefmt='%H:%M:%S')
    for handler in handlers or [logging.StreamHandler(sys.stdout)]:
        handler.setFormatter(formatter)
        handler.setLevel(logger_level)
        logger.addHandler(handler)
    logger.setLevel(logger_level)
    logger.propagate = propagate
    return logger


setup_default_logger = setup_logger
