"""What a stage shows, as people read it: HTML and SVG for page and notebook, or plain text."""
