"""The table: matches as logs of entries, kept in a store, one actor each. Knows nothing of pages or sockets."""
