"""What a person or a program looks at: tables, bars, summaries, JSON."""
