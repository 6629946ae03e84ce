// Entry of the command line. Loads nothing heavy: each command imports what it needs when it runs.
export {};
