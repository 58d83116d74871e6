"""The course as a static web site: pages to read, and notebooks that run in the browser."""
