"""The class on screens: an instructor's, a projector's, and those of who follows."""
