# Packaging joins here.
