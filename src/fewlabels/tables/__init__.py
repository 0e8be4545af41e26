"""Tables from outside: files, data frames and arrays, as columns whose values nobody changed."""
