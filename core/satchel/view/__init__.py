"""Output for people and programs: tables, bars, summaries, JSON."""
