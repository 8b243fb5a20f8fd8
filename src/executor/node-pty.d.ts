/**
 * The types of node-pty that this program uses. The alias package's own types refer to a module that can't be resolved.
 */
declare module 'node-pty' {
  type Disposable = { dispose(): void };
  export type Pty = {
    readonly pid: number;
    /** The path of the terminal's slave side. */
    readonly ptsName: string;
    /** Buffers, because it is spawned with `encoding: null`. */
    onData(listener: (data: Buffer) => void): Disposable;
    onExit(listener: (end: { readonly exitCode: number; readonly signal?: number }) => void): Disposable;
    write(data: string): void;
    resize(cols: number, rows: number): void;
    kill(signal?: string): void;
    pause(): void;
    resume(): void;
    destroy(): void;
    /** The socket that reads the terminal. Private in node-pty, but reading it to the end requires it. */
    readonly _socket: import('node:net').Socket;
  };
  export function spawn(
    file: string,
    args: readonly string[],
    options: {
      readonly name: string;
      readonly cols: number;
      readonly rows: number;
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly encoding: null;
    },
  ): Pty;
}
