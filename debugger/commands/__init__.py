"""What each command does. Its arguments are in debugger/arguments.py, its words in words/."""
