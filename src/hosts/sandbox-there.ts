/** What the launcher holds on a host, found by trying it there, and how commands are put behind it. */
import type { Confinement } from '../contracts/commands.ts';
import type { Behind } from './commands.ts';
import type { Connection } from './connection.ts';
import { isLauncher, type LauncherKit, type PlacedLauncher, placeLauncher, tryLauncher } from './launcher.ts';

export class SandboxThere {
  readonly placed: PlacedLauncher;
  readonly #kit: LauncherKit;
  readonly #open: string | undefined;

  private constructor(placed: PlacedLauncher, kit: LauncherKit, open: string | undefined) {
    this.placed = placed;
    this.#kit = kit;
    this.#open = open;
  }

  /** Sends the launcher where it does not lie there yet, and tries it. Never rejects. */
  static async open(connection: Connection, kit: LauncherKit): Promise<SandboxThere | { readonly why: string }> {
    const ask = (code: string) => connection.ask(code);
    const placed = await placeLauncher(ask, connection.host, kit);
    if ('why' in placed) return placed;
    return new SandboxThere(placed, kit, await tryLauncher(ask, connection.host, placed, kit));
  }

  /** Why no command of this mode can run there. */
  lacks(mode: Confinement): string | undefined {
    if (mode === 'project') return 'Project mode is for this machine only';
    return mode === 'restricted' ? this.#open : undefined;
  }

  /** What a command of this mode is put behind; undefined: nothing. */
  behind(mode: Confinement, directory: string): Behind | undefined {
    if (mode !== 'restricted') return undefined;
    const launcher = this.placed.path;
    return {
      guard: isLauncher(this.placed),
      bare: true,
      wrap: (argv, { tmp, status }) =>
        this.#kit.restricted({ launcher, argv, cwd: directory, tmpDir: tmp, statusFile: status }),
    };
  }
}
