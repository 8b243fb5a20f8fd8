/** Prints which tests passed only on a retry. Each is a fault of the program or of the test that must be fixed. */
import type { Reporter, TestModule } from 'vitest/node';

export class Flaky implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => `  ${module.relativeModuleId} > ${test.fullName}`),
    );
    if (flaky.length > 0) console.error(`Passed only when tried again; to be mended:\n${flaky.join('\n')}`);
  }
}
