"""The pages. This process never imports torch or tensorflow: that keeps it quick and safe."""
