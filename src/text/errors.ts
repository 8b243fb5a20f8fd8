/** Returns the message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns anything thrown as an error. */
export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** An error that the user can fix: its message is one clear line that says what to do. */
export class CommandError extends Error {}
