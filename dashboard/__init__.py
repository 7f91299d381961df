"""The dashboard: pages over the store, and the viewer that plays matches in the browser. It changes nothing."""
