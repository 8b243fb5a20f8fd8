/** Paths longer than the system’s limit, and calls that move files from or to unrecorded places: undo covers both. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { sceneForEach, USERS } from './bench.ts';
import { trialsWork } from './trial-support.ts';

const LEVELS = 450;
const DOWN = `import os
def t(f):
  try: f()
  except OSError as e: print(e.strerror)
for i in range(${LEVELS}): os.chdir("n"*9)
up = "../"*${LEVELS}
`;

const at = sceneForEach();
const { put, get, refused } = at;

describe.skipIf(!trialsWork() || lacks('python3')).each(USERS)(
  'below a path longer than the system’s limit, as %s',
  (_, ordinary) => {
    beforeEach(() => at.anew(ordinary));
    // The files have paths too long for Node, so rm removes them.
    afterEach(() => execFileSync('rm', ['-rf', join(at.scene.tree, 'n'.repeat(9))]));

    const python = (code: string) => execFileSync('python3', ['-c', code], { cwd: at.scene.tree, encoding: 'utf8' });
    const grow = () => {
      python(
        `import os\nfor i in range(${LEVELS}): os.mkdir("n"*9); os.chdir("n"*9)\nfor n in "leaf", "gone", "pl": open(n, "w").write("old")`,
      );
      for (const name of ['victim', '.npmrc']) put(name, 'old\n');
    };
    const leaves = () =>
      python(`${DOWN}print([(n, open(n).read(), oct(os.stat(n).st_mode)) for n in sorted(os.listdir("."))])`);
    const script = (code: string) => `python3 - <<'E'\n${DOWN}${code}\nE`;
    const RENAMES =
      'for n in "victim", ".npmrc", ".envrc", "AGENTS.md": t(lambda: os.rename("pl", up + n)); t(lambda: os.link("leaf", up + n)); t(lambda: os.rename("pl", up + n, src_dir_fd=os.open(".", 0), dst_dir_fd=os.open(up, 0)))';

    it.each([false, true])('Project lets no file be moved or linked out; without namespaces: %s', async (held) => {
      grow();
      await at.scene.keep('true');
      const kept = await at.scene.keep(script(RENAMES), { project: true, held });
      expect(kept.out.split('\n').filter((line) => line !== '').length, kept.out).toBe(12);
      expect(kept.notes.filter((note) => note.startsWith('unkept '))).toEqual([]);
      expect(get('victim') + get('.npmrc')).toBe('old\nold\n');
      expect(existsSync(join(at.scene.tree, '.envrc'))).toBe(false);
    });

    it('Project allows no change, and files reached from there are kept for undo', async () => {
      grow();
      await at.scene.keep('true');
      const [before, deep] = [get('victim'), leaves()];
      const kept = await at.scene.keep(
        script(
          't(lambda: open("leaf", "w")); t(lambda: os.unlink("gone")); t(lambda: os.chmod("leaf", 0o777)); t(lambda: os.fchmod(os.open("leaf", 0), 0o777)); t(lambda: open("new", "w")); t(lambda: os.mkdir("d")); t(lambda: os.symlink("x", "l"))\nopen(up + "victim", "w").write("new"); open(up + "made", "w")',
        ),
        { project: true },
      );
      expect(leaves()).toBe(deep);
      expect(kept.notes.filter((note) => !note.startsWith('refused '))).toEqual([]);
      expect(refused(await at.scene.undo(kept.number))).toEqual([]);
      expect(get('victim')).toBe(before);
      expect(existsSync(join(at.scene.tree, 'made'))).toBe(false);
    });

    it('Unrestricted keeps every change for undo', async () => {
      grow();
      await at.scene.keep('true');
      const deep = leaves();
      const kept = await at.scene.keep(
        script(
          `open("leaf", "w").write("new"); os.unlink("gone"); os.chmod("leaf", 0o777); open("new", "w")\n${RENAMES}`,
        ),
      );
      expect(get('victim')).toBe('old');
      expect(kept.notes).toEqual([]);
      expect(refused(await at.scene.undo(kept.number))).toEqual([]);
      expect(leaves()).toBe(deep);
      expect(get('victim') + get('.npmrc')).toBe('old\nold\n');
      expect(existsSync(join(at.scene.tree, '.envrc'))).toBe(false);
    });

    it('a trial reports that it can’t tell what would change', async () => {
      grow();
      const { listed } = await at.scene.try(script('t(lambda: open("leaf", "w").write("new"))'));
      expect(listed).toMatch(/has a path that is too long/);
    });
  },
);

describe.skipIf(!trialsWork()).each(USERS)(
  'a move or link between a recorded directory and an unrecorded one, as %s',
  (_, ordinary) => {
    beforeEach(() => at.anew(ordinary));

    it.each([false, true])(
      'keeps files that come from the private temporary directory; without namespaces: %s',
      async (held) => {
        put('victim', 'old\n');
        put('linked', 'old\n');
        const kept = await at.scene.keep(
          'exec 2>&1; t=$(dirname $(mktemp -u)); echo new > $t/a; mv $t/a victim; echo new > $t/b; mv -T $t/b .envrc; echo new > $t/c; rm linked; ln $t/c linked; mv victim $t/',
          { project: true, held },
        );
        expect(kept.notes).toEqual([]);
        expect(refused(await at.scene.undo(kept.number))).toEqual([]);
        expect(get('victim') + get('linked')).toBe('old\nold\n');
        expect(existsSync(join(at.scene.tree, '.envrc'))).toBe(false);
      },
    );

    it.skipIf(!ordinary || lacks('unshare'))(
      'opens no file by rights that only the supervisor’s user namespace would give',
      async () => {
        mkdirSync(join(at.scene.tree, 'shut'));
        writeFileSync(join(at.scene.tree, 'shut', 'victim'), 'old\n');
        await at.scene.keep('chmod 0 shut');
        await at.scene.keep('unshare -Ur sh -c "rm shut/victim; echo x > shut/new; true"');
        chmodSync(join(at.scene.tree, 'shut'), 0o700);
        expect(get('shut/victim')).toBe('old\n');
        expect(existsSync(join(at.scene.tree, 'shut/new'))).toBe(false);
      },
    );
  },
);
