/** A user error: its message is one clear line that says what to do. */
export class CommandError extends Error {}
