"""The student's side: workspace, checks, hints, progress, packing; no sandbox, no `fork`."""
