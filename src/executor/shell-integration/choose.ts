import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { bash } from '../close-inherited.ts';
import { bashIntegration } from './bash.ts';
import type { ShellIntegration } from './integration.ts';
import { zshIntegration } from './zsh.ts';

/** The shells that can be driven, by the name of their program. */
const DIALECTS: Readonly<Record<string, ShellIntegration>> = { bash: bashIntegration, zsh: zshIntegration };

/** How to drive the program at `wanted`; bash where that can't be driven or is not there. */
export function integrationFor(wanted: string): { readonly program: string; readonly dialect: ShellIntegration } {
  const dialect = existsSync(wanted) ? DIALECTS[basename(wanted)] : undefined;
  return dialect ? { program: wanted, dialect } : { program: bash, dialect: bashIntegration };
}
