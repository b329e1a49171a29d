//! The published plugin, three versions of it, unmodified, against the running service.
