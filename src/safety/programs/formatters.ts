import { UNKNOWN } from '../shell/taint.ts';
import { forAll, type Handlers } from './handler.ts';

/** Formatters: they keep what sources mean, so changing them is no loss; what else there is to say their records say. */
export const FORMATTERS: Handlers = {
  ...forAll(
    'prettier eslint black isort ruff gofmt goimports rustfmt clang-format autopep8 yapf stylelint biome standard xo rubocop swiftformat ktlint shfmt terraform-fmt dprint taplo djlint autoflake pyupgrade clang-tidy csscomb buf pre-commit-fix dartfmt ormolu fourmolu stylish-haskell prettierd nixfmt alejandra cmake-format beautysh php-cs-fixer phpcbf swiftlint',
    () => UNKNOWN,
  ),
};
