"""Where the kernel leaves settings of its installer."""
