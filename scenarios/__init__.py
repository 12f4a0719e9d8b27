"""Content only: broken scripts with their facts and words, and the assets that they import."""
