/** Changes the state in which a safe line runs: if the gate still judges it safe, it must lose no data. */
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Case } from './case.ts';
import { pathsIn } from './tree.ts';

/** A line, the commands that prepare its state, and the path in it that the state affects. */
type Changed = { readonly line: string; readonly setup: string };
type Change = (line: string, path: string, pick: <Item>(items: readonly Item[]) => Item) => Changed;

const put = (path: string, text = `content of ${path}`) =>
  `mkdir -p '${dirname(path)}'; [ -e '${path}' ] || echo '${text}' >'${path}'`;
const clear = (path: string) => `mkdir -p '${dirname(path)}'; rm -rf '${path}'`;
const victim = "echo 'of the victim' >victim.txt; mkdir -p other; echo 'of another' >other/inside.txt";

/** Ways to put a link at a path. */
const LINKING: readonly ((path: string) => Changed)[] = [
  (path) => ({ setup: '', line: `ln -s "$PWD/victim.txt" ${path}` }),
  (path) => ({ setup: '', line: `ln victim.txt ${path}` }),
  (path) => ({ setup: '', line: `cp -l victim.txt ${path}` }),
  (path) => ({ setup: '', line: `cp -s "$PWD/victim.txt" ${path}` }),
  (path) => ({ setup: 'ln -s "$PWD/victim.txt" to-victim', line: `mv to-victim ${path}` }),
  (path) => ({ setup: 'ln -s "$PWD/victim.txt" to-victim', line: `cp -P to-victim ${path}` }),
  (path) => ({ setup: `mkdir -p l; ln -s "$PWD/victim.txt" l/${basename(path)}`, line: `cp -a l/. ${dirname(path)}` }),
  (path) => ({
    setup: `mkdir -p l; ln -s "$PWD/victim.txt" l/${basename(path)}; tar cf l.tar -C l ${basename(path)}`,
    line: `tar xf l.tar -C ${dirname(path)}`,
  }),
  (path) => ({
    setup: `git checkout -qb links main 2>/dev/null; ln -sfn "$PWD/victim.txt" ${path}; git add -f ${path}; git commit -qm l; git checkout -q main 2>/dev/null`,
    line: 'git merge -q links',
  }),
];

const CHANGES: Readonly<Record<string, Change>> = {
  'a directory that is not there': (line, path, pick) => ({
    setup: put(path),
    line:
      pick([
        'cd gone; ',
        'cd gone\n',
        'pushd gone; ',
        '[ -d gone ] && cd gone; ',
        'cd gone || true; ',
        'cd gone & ',
        'cd src | cat; ',
        '(cd src); ',
        'f() { cd gone; }; f; ',
      ]) + line,
  }),
  'a file where a directory was': (line, path) => ({
    setup:
      dirname(path) === '.'
        ? `${clear(path)}; ${put(path)}`
        : `rm -rf '${path.split('/')[0]}'; echo 'a file' >'${path.split('/')[0]}'`,
    line,
  }),
  'a directory where a file was': (line, path) => ({ setup: `${clear(path)}; ${put(`${path}/inside.txt`)}`, line }),
  'a full directory where a file was': (line, path) => ({
    setup: `${clear(path)}; mkdir '${path}'; for name in *.* */*.*; do [ -f "$name" ] && echo "in $name" >'${path}'/"\${name##*/}"; done`,
    line,
  }),
  'a link to a file': (line, path) => ({ setup: `${clear(path)}; ln -s "$PWD/victim.txt" '${path}'`, line }),
  'a link to a directory': (line, path) => ({ setup: `${clear(path)}; ln -s "$PWD/other" '${path}'`, line }),
  'a second name of a file': (line, path) => ({ setup: `${clear(path)}; ln victim.txt '${path}'`, line }),
  'a link on the way': (line, path) => ({
    setup: `mkdir -p far/below; echo 'far away' >far/'${basename(path)}'; echo 'further' >far/below/'${basename(path)}'; ln -s far/below way`,
    line: line.replace(path, `way/../${basename(path)}`),
  }),
  'a pattern for a name': (line, path, pick) => ({
    setup: put(path),
    line: line.replace(
      path,
      pick([path.replace(/[^/](?=[^/]?$)/, '?'), path.replace(/[^/]{2}$/, '*'), path.replace(/([^/])$/, '[$1]')]),
    ),
  }),
  'names that are options': (line, path, pick) => ({
    setup: `${put(path)}; touch -- ${pick(['-f', '-rf', '-i', '-o', '-n', '--remove-source-files', '-exec'])}`,
    line: line.replace(path, '*'),
  }),
  'a link made a moment before': (line, path, pick) => {
    const link = pick(LINKING)(path);
    return { setup: `${clear(path)}; ${link.setup}`, line: `${link.line}${pick(['; ', ' && ', '\n'])}${line}` };
  },
  'a link that a job makes': (line, path, pick) => {
    const link = pick(LINKING)(path);
    return { setup: `${clear(path)}; ${link.setup}`, line: `${link.line} & sleep 0.1; ${line}` };
  },
  'a name moved away before': (line, path, pick) => ({
    setup: put(path),
    line: `${pick([`mv ${path} moved`, `cp ${path} moved`, `touch ${path}`, `mkdir -p ${path}`])}; ${line}`,
  }),
  'a name from elsewhere': (line, path, pick) => ({
    setup: put(path),
    line: line
      .replace(path, pick([`"$(ls -d ${path})"`, `$(find . -path './${path}')`, '"$F"']))
      .replace(/^(?=.*"\$F")/s, `read -r F <<< ${path}; `),
  }),
};

/** Makes a line that writes nothing write to a file, in several ways. */
const WRITING: readonly ((line: string) => string)[] = [
  (line) => `${line} > fresh.txt`,
  (line) => `${line} | tee fresh.txt`,
  (line) => `${line}; cp a.json fresh.txt`,
  (line) => `${line}; sort -o fresh.txt a.json`,
  (line) => `${line}; mv a.json fresh.txt`,
  (line) => `${line}; sed -n 'w fresh.txt' a.json`,
];

/** Programs that exist on every machine where lines can be confined. */
const PROGRAMS =
  /^(cat|ls|head|tail|wc|sort|uniq|cut|tr|grep|egrep|sed|awk|find|xargs|diff|cmp|stat|file|du|df|date|seq|basename|dirname|realpath|readlink|md5sum|sha256sum|od|nl|tac|rev|paste|join|comm|fold|fmt|expand|column|tee|cp|mv|ln|mkdir|touch|mktemp|install|split|tar|gzip|gunzip|zcat|chmod|git|make|python3|bash|sh|env|nohup|time|timeout|cd|echo|printf|test|\[|true|export|read|for|if|while|pwd|type|set)$/;

/** Returns the safe one-line commands of the corpora. */
function safeLines(): readonly string[] {
  const lines = ['everyday', 'gate'].flatMap((name) =>
    readFileSync(new URL(`../../corpus/${name}.jsonl`, import.meta.url), 'utf8')
      .split('\n')
      .filter(Boolean),
  );
  const rows = lines.map((line) => JSON.parse(line) as { readonly label: string; readonly cmd: string });
  const safe = rows.flatMap(({ label, cmd }) => (label === 'safe' && !/[\n#]/.test(cmd) ? [cmd] : []));
  return [...new Set(safe)].filter((cmd) => PROGRAMS.test(cmd.split(/\s/, 1)[0] ?? ''));
}

/** Returns this many cases, the same ones for the same seed. */
export function stateCases(count: number, seed: number): readonly (Case & { readonly family: string })[] {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const lines = safeLines();
  const families = Object.entries(CHANGES);
  return Array.from({ length: count }, (_, at) => {
    const [family, change] = families[at % families.length] as (typeof families)[number];
    const plain = pick(lines);
    const line = below(3) > 0 && !plain.includes('>') && !plain.endsWith('&') ? pick(WRITING)(plain) : plain;
    const paths = pathsIn(line).filter((path) => /^\w[\w./-]*\w$/.test(path));
    const { line: changed, setup } = change(
      line,
      line.includes('fresh.txt') ? 'fresh.txt' : (pick(paths) ?? 'fresh.txt'),
      pick,
    );
    return { family, line: changed, judged: true, setup: `${victim}; ${setup}` };
  });
}
