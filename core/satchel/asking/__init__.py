"""What a person asks of a workspace beside a pack: what a pointer stands for, why, what to add."""
