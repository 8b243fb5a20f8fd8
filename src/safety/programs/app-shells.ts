import { readCode } from '../code/read.ts';
import { judgeSql } from '../code/sql.ts';
import { hasUnknown } from '../shell/taint.ts';
import { unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { forAll, type Handlers } from './handler.ts';

/** A subcommand that runs source text of its framework's language, or SQL. */
type Shell = {
  readonly sub: RegExp;
  readonly language: 'python' | 'ruby' | 'php' | 'elixir' | 'sql';
  /** Options whose value is the source. */
  readonly option?: RegExp;
  /** The source stands as an operand after the subcommand. */
  readonly operand?: boolean;
};

const DJANGO: readonly Shell[] = [
  { sub: /^shell(_plus)?$/, language: 'python', option: /^(-c|--command)$/ },
  { sub: /^dbshell$/, language: 'sql', option: /^(-c|-e|--command|--execute)$/ },
];

const SHELLS_OF: Readonly<Record<string, readonly Shell[]>> = {
  'manage.py': DJANGO,
  'django-admin': DJANGO,
  flask: [{ sub: /^shell$/, language: 'python' }],
  rails: [
    { sub: /^(runner|r)$/, language: 'ruby', operand: true },
    { sub: /^(console|c)$/, language: 'ruby' },
    { sub: /^(dbconsole|db)$/, language: 'sql' },
  ],
  artisan: [
    { sub: /^tinker$/, language: 'php', option: /^--execute$/ },
    { sub: /^db$/, language: 'sql' },
  ],
  console: [{ sub: /^(dbal:run-sql|doctrine:query:sql)$/, language: 'sql', operand: true }],
  wp: [{ sub: /^eval$/, language: 'php', operand: true }],
  drush: [
    { sub: /^(php:eval|php-eval|ev|eval)$/, language: 'php', operand: true },
    { sub: /^(sql:query|sql-query|sqlq)$/, language: 'sql', operand: true },
  ],
  wrangler: [{ sub: /^d1$/, language: 'sql', option: /^--command$/ }],
  mix: [{ sub: /^run$/, language: 'elixir', option: /^(-e|--eval)$/ }],
};

/** Shells of web frameworks: code and SQL given to them is read like any other. */
export const APP_SHELLS: Handlers = forAll(Object.keys(SHELLS_OF).join(' '), (call) => {
  const sub = call.operands[0]?.text ?? '';
  for (const shell of SHELLS_OF[call.program] ?? []) if (shell.sub.test(sub)) readShell(call, shell);
  return undefined;
});

function readShell(call: Call, shell: Shell): void {
  const { args, io } = call;
  const found: string[] = [];
  for (const [index, { text }] of args.entries()) {
    const equals = text.startsWith('--') ? text.indexOf('=') : -1;
    if (!shell.option?.test(equals > 0 ? text.slice(0, equals) : text)) continue;
    found.push(equals > 0 ? text.slice(equals + 1) : (args[index + 1]?.text ?? ''));
  }
  if (shell.operand) for (const { text } of call.operands.slice(1)) found.push(text);
  if (found.length === 0 && io.stdin !== undefined && io.stdin !== '') found.push(io.stdin);
  if (found.length === 0) call.machine.note(unknown('starts a session'));
  for (const code of found) {
    if (hasUnknown(code) && code.trim().length < 3)
      call.machine.note(unknown('code that is not known', { unresolved: true }));
    else if (shell.language === 'sql') call.machine.note(judgeSql(code));
    else readCode(call.machine, shell.language, code);
  }
}
