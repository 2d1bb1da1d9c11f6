"""What people see: tables on the terminal and in Markdown, made from a results document."""
