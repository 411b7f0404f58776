"""PDF files to `Document`, each read in a child process with limits. Only this folder uses PDF
libraries.
"""
