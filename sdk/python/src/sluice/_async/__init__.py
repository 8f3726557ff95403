"""The asynchronous client: the source from which the other is made."""
