"""The referee: rules, matches, sandbox, store and the gRPC services."""
