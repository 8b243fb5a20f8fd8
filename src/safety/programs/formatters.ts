import { UNKNOWN } from '../shell/taint.ts';
import { harmless, unknown } from '../verdict.ts';
import { forAll, type Handlers } from './handler.ts';

/** Formatters: they change sources in place, unless asked only to check. */
export const FORMATTERS: Handlers = {
  ...forAll(
    'prettier eslint black isort ruff gofmt goimports rustfmt clang-format autopep8 yapf stylelint biome standard xo rubocop swiftformat ktlint shfmt terraform-fmt dprint taplo djlint autoflake pyupgrade clang-tidy csscomb buf pre-commit-fix dartfmt ormolu fourmolu stylish-haskell prettierd nixfmt alejandra cmake-format beautysh php-cs-fixer phpcbf swiftlint',
    (call) => {
      const writes =
        call.has(
          '--write',
          '-w',
          '--fix',
          '-i',
          '--in-place',
          '--inplace',
          '-a',
          '-A',
          '--auto-correct',
          '--autocorrect',
          '--fix-dry-run=',
        ) || /^(php-cs-fixer|phpcbf|autoflake-i)$/.test(call.program);
      const checks = call.has('--check', '--diff', '--check-only', '-l', '-d', '--list-different', '--dry-run');
      const always =
        /^(black|isort|rustfmt|ormolu|yapf-i|swiftformat|nixfmt|alejandra|taplo)$/.test(call.program) ||
        (call.program === 'ruff' && call.operands[0]?.text === 'format');
      // Formatters are made for changing sources and keep their meaning; not a loss, but not only reading either.
      call.machine.note(checks || !(writes || always) ? harmless() : unknown('formats files in place'));
      return UNKNOWN;
    },
  ),
};
