/** What git obeys beyond a repository's own directory: how it came (by the shell), what a command does, and what of it waits. */
import { shellQuote } from '../../../src/text/shell-quote.ts';

type Case = readonly [how: string, setUp: string, command: string, waits: readonly string[]];

/** Keys that name files in ways that git's shell follows, and what they name. */
const NAMED: Readonly<Record<string, string>> = {
  'alias.top': '!$(git rev-parse --show-toplevel)/t/toplevel --fast',
  'alias.var': '!"$TOP"/t/variable',
  'alias.cd': '!sh -c "cd t && ./elsewhere"',
  'alias.sh': '!cd t; sh script.sh',
  'alias.py': '!python3 -m t.pkg.module',
  'alias.js': '!node t/script',
  'pager.diff': 'less -R | ./t/pager',
  'sendemail.smtpServer': './t/smtp',
  'lfs.customtransfer.k.path': 't/lfs',
  'instaweb.httpd': './t/httpd -f',
  'init.defaultBranch': 'main',
  'alias.l': 'log --oneline',
};
const NAMED_FILES =
  't/elsewhere t/httpd t/lfs t/pager t/pkg/__init__.py t/pkg/module.py t/script.js t/script.sh t/smtp t/toplevel t/variable'.split(
    ' ',
  );

const BARE: readonly Case[] = [
  ['a hook', '', 'echo evil > srv/hooks/post-update', ['srv/hooks/post-update']],
  ['a hook that was there', 'echo ok > srv/hooks/update', 'echo evil > srv/hooks/update', ['srv/hooks/update']],
  [
    'its directory of hooks',
    'git -C srv config core.hooksPath h',
    'mkdir srv/h; echo evil > srv/h/update',
    ['srv/h/update'],
  ],
  ['an included file', 'git -C srv config include.path inc; echo > srv/inc', 'echo evil > srv/inc', ['srv/inc']],
  [
    'a program',
    'git -C srv config uploadpack.packObjectsHook ./tools/x; mkdir srv/tools; echo > srv/tools/x',
    'echo evil > srv/tools/x; echo x > srv/tools/y',
    ['srv/tools/x'],
  ],
  ['attributes', '', 'mkdir -p srv/info; echo "* filter=x" > srv/info/attributes', ['srv/info/attributes']],
  ['its data', '', 'echo x > srv/objects/x; echo x > srv/description', []],
];

export const GIT_CASES: readonly Case[] = [
  [
    'files that git’s configuration names from elsewhere',
    [
      ...Object.entries(NAMED).map(([key, value]) => `git config --add ${key} ${shellQuote(value)}`),
      'mkdir -p t/pkg',
      ...NAMED_FILES.map((name) => `echo mine > ${name}`),
    ].join('; '),
    `for f in ${NAMED_FILES.join(' ')}; do echo evil > $f; done; echo x > t/ordinary; echo x > log; mkdir main`,
    NAMED_FILES,
  ],
  [
    'a directory that repositories are begun from',
    'mkdir -p template/hooks; echo mine > template/hooks/x; git config init.templateDir "$PWD/template"',
    'echo evil > template/hooks/post-checkout',
    ['template/hooks/post-checkout'],
  ],
  ...BARE.map(
    ([what, setUp, command, waits]): Case => [
      `a repository without a work tree: ${what}`,
      `git init -q --bare srv; rm srv/hooks/*; ${setUp}`,
      command,
      waits,
    ],
  ),
];
