/** The part of node-pty that is used here. The alias package's own types name another module and can't be found. */
declare module 'node-pty' {
  type Disposable = { dispose(): void };
  export type Pty = {
    readonly pid: number;
    /** The path of the terminal's slave side. */
    readonly ptsName: string;
    /** Buffers, since it is spawned with `encoding: null`. */
    onData(listener: (data: Buffer) => void): Disposable;
    onExit(listener: (end: { readonly exitCode: number; readonly signal?: number }) => void): Disposable;
    write(data: string): void;
    resize(cols: number, rows: number): void;
    kill(signal?: string): void;
    pause(): void;
    resume(): void;
    destroy(): void;
    /** Where its terminal is read; not for others, but nobody else can see to its being read to the end. */
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
