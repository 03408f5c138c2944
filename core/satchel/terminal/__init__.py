"""Terminal output: cleaned, folded, scored and cut to what matters; and the runner of commands."""
