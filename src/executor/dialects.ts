import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { bashDialect } from './bash-integration.ts';
import type { Dialect } from './dialect.ts';
import { bash } from './inherit.ts';
import { zshDialect } from './zsh-integration.ts';

/** The shells that can be driven, by the name of their program. */
const DIALECTS: Readonly<Record<string, Dialect>> = { bash: bashDialect, zsh: zshDialect };

/** How to drive the program at `wanted`; bash where that can't be driven or is not there. */
export function driven(wanted: string): { readonly program: string; readonly dialect: Dialect } {
  const dialect = existsSync(wanted) ? DIALECTS[basename(wanted)] : undefined;
  return dialect ? { program: wanted, dialect } : { program: bash, dialect: bashDialect };
}
