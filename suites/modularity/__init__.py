"""What one unseen value does to the factor that has it, and to all the others."""
