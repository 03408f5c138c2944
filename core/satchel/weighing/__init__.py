"""From saliences to options: what showing something is worth, and in which order it is shown."""
