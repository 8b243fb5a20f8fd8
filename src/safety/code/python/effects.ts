import type { Part } from './tree.ts';

/** Something that code does or may do. What is not an effect only computes, reads and prints. */
export type Effect = { readonly part?: Part } & (
  | { readonly kind: 'write' | 'append' | 'read'; readonly path: string }
  /** What does as a call of this program does: `os.remove(x)` as `rm x`. */
  | { readonly kind: 'like'; readonly words: readonly string[] }
  /** A program that is run: its words; `stdin` where the code says what it reads. */
  | { readonly kind: 'call'; readonly words: readonly string[]; readonly stdin?: string; readonly cwd?: string }
  /** Text for a shell. */
  | { readonly kind: 'shell'; readonly text: string; readonly stdin?: string; readonly cwd?: string }
  | { readonly kind: 'sql'; readonly text: string }
  | { readonly kind: 'unknown'; readonly reason: string; readonly unresolved?: boolean }
  | { readonly kind: 'destructive'; readonly rule: string; readonly reason: string }
);

/** A module as it was found where the code looks first. */
export type LocalModule =
  | { readonly kind: 'text'; readonly text: string }
  /** No such file is there: the name means an installed module. */
  | { readonly kind: 'absent' }
  /** There is something that was not read, or looking was not possible. */
  | { readonly kind: 'unread' };

/** What the code runs in. */
export type PythonContext = {
  /** Words after the script's name, where they are known. */
  readonly argv?: readonly string[];
  /** The script's path as it was named. */
  readonly file?: string;
  /** Looks for a module beside the script. */
  readonly module: (name: string) => LocalModule;
};
