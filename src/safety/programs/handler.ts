import type { Call } from './call.ts';

/**
 * Looks at one call with the program's own knowledge and notes a verdict on the machine. Returns the call's output
 * (with marks), or undefined when it has nothing to say, so that tables and byVerbs decide.
 */
export type Handler = (call: Call) => string | undefined;

/** Handlers by program name. */
export type Handlers = Readonly<Record<string, Handler>>;

/** The same handler for several programs. */
export function forAll(programs: string, handler: Handler): Handlers {
  return Object.fromEntries(programs.split(' ').map((program) => [program, handler]));
}
