import { CLOUDS } from './clouds.ts';
import { CODE_HOSTS } from './code-hosts.ts';
import type { TokenRule } from './rule.ts';
import { SERVICES } from './services.ts';

/** Tokens of any kind that are known by how they begin. The first row that fits names the value. */
export const TOKEN_RULES: readonly TokenRule[] = [...CODE_HOSTS, ...CLOUDS, ...SERVICES];
