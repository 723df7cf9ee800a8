"""The table: matches as logs of entries, kept in a store, owned by one actor each. Knows nothing of pages or sockets."""
