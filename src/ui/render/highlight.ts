/** Colours code for reading: comments, strings, numbers, keywords, calls. One table instead of grammars. */
import { paint, type Role, type Theme } from './theme.ts';

type Family = {
  readonly comments: string;
  readonly strings: string;
  readonly keywords: string;
};

const C_COMMENTS = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`;
const HASH_COMMENTS = String.raw`(?<=^|\s)#[^\n]*`;
const QUOTES = String.raw`"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?`;
const SHELL_QUOTES = String.raw`"(?:\\[\s\S]|[^"\\])*"?|'[^']*'?`;
const COMMON =
  'if else for while return break continue switch case default do true false null class new this try catch finally throw import export from in of';

const FAMILIES = {
  c: {
    comments: C_COMMENTS,
    strings: `${QUOTES}|\`(?:\\\\[\\s\\S]|[^\`\\\\])*\`?`,
    keywords: `${COMMON} const let var function async await yield typeof instanceof void extends implements interface type enum static public private protected readonly abstract as is keyof declare namespace package struct union sizeof int long short char float double bool boolean string unsigned signed auto extern register volatile goto fn mut pub impl trait use mod crate self Self where match loop move ref unsafe dyn func go defer chan map range select nil final override super throws using virtual template typename nullptr delete operator val var when object companion data sealed`,
  },
  python: {
    comments: HASH_COMMENTS,
    strings: String.raw`[rbfuRBFU]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$))|${QUOTES}`,
    keywords:
      'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield True False None self match case end then do begin rescue ensure unless module require puts nil local function repeat until elseif',
  },
  shell: {
    comments: HASH_COMMENTS,
    strings: SHELL_QUOTES,
    keywords:
      'if then else elif fi for while until do done case esac in function select time return exit break continue local export readonly declare set unset shift source alias eval exec trap cd echo test FROM RUN COPY ADD CMD ENTRYPOINT ENV ARG WORKDIR EXPOSE',
  },
  data: { comments: `${HASH_COMMENTS}|${C_COMMENTS}`, strings: QUOTES, keywords: 'true false null yes no on off' },
  sql: {
    comments: String.raw`--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`,
    strings: `'(?:''|[^'])*'?`,
    keywords:
      'select from where insert into values update set delete create table drop alter index view join left right inner outer on group by order having limit offset union all distinct as and or not null is in exists between like primary key foreign references default constraint begin commit rollback case when then else end with truncate database',
  },
  markup: { comments: String.raw`<!--[\s\S]*?(?:-->|$)`, strings: QUOTES, keywords: '' },
} as const satisfies Record<string, Family>;

const LANGUAGES: Readonly<Record<string, keyof typeof FAMILIES>> = Object.fromEntries(
  (
    [
      [
        'c',
        'c h cpp c++ cc hpp java js jsx javascript mjs ts tsx typescript go rust rs swift kotlin kt cs csharp scala dart php zig css scss',
      ],
      ['python', 'python py python3 ruby rb lua'],
      ['shell', 'sh bash zsh shell console fish dockerfile docker makefile make'],
      ['data', 'json jsonc json5 yaml yml toml ini conf hcl tf'],
      ['sql', 'sql sqlite postgres mysql psql'],
      ['markup', 'html xml svg vue'],
    ] as const
  ).flatMap(([family, names]) => names.split(' ').map((name) => [name, family])),
);

/** Longer code stays plain: colouring it would delay keys. */
const MAX_CHARS = 50_000;

const patterns = new Map<string, RegExp>();

function patternOf(name: keyof typeof FAMILIES): RegExp {
  let pattern = patterns.get(name);
  if (pattern === undefined) {
    const { comments, strings, keywords } = FAMILIES[name];
    const words = keywords === '' ? '(?!)' : String.raw`\b(?:${keywords.split(' ').join('|')})\b`;
    const source = `(?<comment>${comments})|(?<string>${strings})|(?<keyword>${words})|(?<number>\\b(?:0x[\\da-fA-F]+|\\d[\\d_]*(?:\\.\\d+)?(?:e[+-]?\\d+)?)\\b)|(?<function>\\b[A-Za-z_]\\w*(?=\\())`;
    pattern = new RegExp(source, name === 'sql' ? 'gim' : 'gm');
    patterns.set(name, pattern);
  }
  return pattern;
}

/** Returns code with SGR colours; an unknown language stays as it is. The text itself never changes. */
export function highlight(code: string, language: string, theme: Theme): string {
  const name = language.toLowerCase().replace(/[^a-z0-9+#]/g, '');
  if (name === 'diff' || name === 'patch') return highlightDiff(code, theme);
  const family = LANGUAGES[name];
  if (family === undefined || code.length > MAX_CHARS) return code;
  return code.replace(patternOf(family), (match, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const role = Object.keys(groups).find((group) => groups[group] !== undefined);
    return paint(theme[role as Role] ?? '', match);
  });
}

/** A unified diff, line by line. */
export function highlightDiff(diff: string, theme: Theme): string {
  return diff
    .split('\n')
    .map((line) => {
      if (/^(?:\+\+\+|---) /.test(line)) return paint(theme.strong, line);
      if (line.startsWith('@@')) return paint(theme.hunk, line);
      if (line.startsWith('+')) return paint(theme.added, line);
      return line.startsWith('-') ? paint(theme.removed, line) : line;
    })
    .join('\n');
}
