/**
 * Prints what was skipped, as briefly as possible, and compares it with the file that AISH_EXPECTED_SKIPS names: one
 * line per skip, with `? ` before what may also run, and `#` before a comment. Lines of files that did not run are
 * ignored.
 */
import { readFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

type Skip = { readonly name: string; readonly tests: number };

export class Skips implements Reporter {
  #vitest?: Vitest;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  /** Sets the exit code where the file and the run differ. */
  onTestRunEnd(modules: readonly TestModule[]): void {
    // A name pattern makes every other test count as skipped.
    if (this.#vitest?.getGlobalTestNamePattern()) return;
    const skips = modules.flatMap(skipsOf).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (skips.length > 0) console.log(`Skipped:\n${skips.map(({ name, tests }) => `  ${name} (${tests})`).join('\n')}`);
    const file = process.env.AISH_EXPECTED_SKIPS;
    if (file === undefined) return;
    const lines = readFileSync(file, 'utf8').split('\n');
    const names = skips.map(({ name }) => name);
    const unexpected = names.filter((name) => !lines.includes(name) && !lines.includes(`? ${name}`));
    const ran = new Set(modules.map(({ relativeModuleId }) => relativeModuleId));
    const missing = lines.filter((line) => ran.has(line.split(' > ')[0] ?? '') && !names.includes(line));
    if (unexpected.length + missing.length === 0) return;
    console.error(`Not as in ${file}:`);
    for (const name of unexpected) console.error(`  skipped: ${name}`);
    for (const name of missing) console.error(`  not skipped: ${name}`);
    process.exitCode = 1;
  }
}

/** Returns a file or suite by its own name when all of it was skipped, otherwise its parts. */
function skipsOf(part: TestModule | TestSuite | TestCase): readonly Skip[] {
  const name = part.type === 'module' ? part.relativeModuleId : `${part.module.relativeModuleId} > ${part.fullName}`;
  if (part.type === 'test') return part.result().state === 'skipped' ? [{ name, tests: 1 }] : [];
  const tests = [...part.children.allTests()];
  const all = tests.length > 0 && tests.every((test) => test.result().state === 'skipped');
  return all ? [{ name, tests: tests.length }] : [...part.children].flatMap(skipsOf);
}
