/** A project whose commands run in Project, and its change store. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { projectArgv } from '../../../src/effects/sandbox/index.ts';
import { diskHere } from '../../../src/effects/undo/disk.ts';
import { ChangeStore } from '../../../src/effects/undo/index.ts';
import { lacks } from '../../support/lacks.ts';
import { run, until } from '../sandbox/run.ts';
import { buildTools, type Tools } from '../sandbox/tools.ts';

type Options = Partial<ConstructorParameters<typeof ChangeStore>[0]>;

/** A scene for each test of the calling file. */
export class AsideScene {
  root = '';
  tree = '';
  warnings: string[] = [];
  #tools: Tools | undefined;
  #store: ChangeStore | undefined;

  constructor() {
    beforeAll(async () => {
      if (!lacks('cc')) this.#tools = await buildTools();
    });
    afterAll(() => this.#tools?.dispose());
    beforeEach(() => {
      this.root = mkdtempSync(join(tmpdir(), 'aish-aside-'));
      this.tree = join(this.root, 'tree');
      mkdirSync(this.tree);
      this.warnings = [];
      if (this.#tools) this.open();
    });
    afterEach(() => rmSync(this.root, { recursive: true, force: true }));
  }

  get store(): ChangeStore {
    if (!this.#store) throw new Error('no launcher');
    return this.#store;
  }

  /** Opens the store as another process; its commands are kept from here on. */
  open(more: Options = {}): void {
    this.#store = new ChangeStore({
      disk: diskHere(this.#tools?.launcher ?? '', join(this.root, 'undo')),
      budgetBytes: 1e9,
      maxFileBytes: 1e8,
      days: 7,
      session: 's1',
      run: () => undefined,
      now: () => 1_000_000,
      hide: (text) => text,
      warn: (text) => this.warnings.push(text),
      ...more,
    });
  }

  put(name: string, text: string): void {
    mkdirSync(dirname(join(this.tree, name)), { recursive: true });
    writeFileSync(join(this.tree, name), text);
  }

  /** Runs the command in Project; returns the files that it left for the user to decide. */
  async act(command: string) {
    return (await this.runKept(command)).end(true);
  }

  /** Runs a command while somebody else changes the tree. */
  async during(command: string, change: () => void) {
    const running = this.act(`echo x > ordinary; until [ -e go ]; do sleep 0.01; done; ${command}`);
    await until('the command runs', () => existsSync(join(this.tree, 'ordinary')));
    change();
    this.put('go', '');
    return running;
  }

  async runKept(command: string) {
    const { tree, store } = this;
    const keeping = await store.keepCommand(command, tree, tree);
    if (!keeping) throw new Error((await store.unavailable()) ?? 'not kept');
    const [launcher, argv] = [this.#tools?.launcher ?? '', ['bash', '-c', command]];
    const ran = await run(projectArgv({ launcher, argv, cwd: tree, project: tree, keep: keeping }));
    expect(ran.err).not.toContain('set-up failed');
    return keeping;
  }
}
