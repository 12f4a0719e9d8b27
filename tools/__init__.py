"""What measures: run by hand, with the command that each file names."""
