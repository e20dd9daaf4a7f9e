"""What would another policy have done? The search loop, its policies and caps, and the same loop over what a log recorded."""
