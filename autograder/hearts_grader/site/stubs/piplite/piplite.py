"""An empty module in which the kernel stores settings of its installer."""
