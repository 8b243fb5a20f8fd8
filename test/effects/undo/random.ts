/** Random trees, and random commands over them. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

const ODD = ['plain', 'with blank', '-dash', 'two\nlines', 'ünï', "quo'te", '$x'];
const index = fc.nat({ max: 1000 });

export const trees = fc.record({
  directories: fc.array(fc.tuple(index, fc.constantFrom(...ODD)), { minLength: 1, maxLength: 7 }),
  files: fc.array(
    fc.record({
      at: index,
      name: fc.constantFrom(...ODD),
      kind: fc.constantFrom('text', 'text', 'text', 'empty', 'link', 'hard', 'fifo', 'sparse'),
      mode: fc.constantFrom(0o644, 0o600, 0o755, 0o444),
      pick: index,
    }),
    { minLength: 2, maxLength: 20 },
  ),
});
export type Tree = typeof trees extends fc.Arbitrary<infer T> ? T : never;

/** Makes the tree; returns all its paths except directories. */
export function grow(
  root: string,
  { directories, files }: Tree,
): { readonly dirs: string[]; readonly names: string[] } {
  const dirs = [root];
  const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T;
  for (const [i, [at, name]] of directories.entries()) {
    const path = join(pick(dirs, at), `${name}${i}`);
    mkdirSync(path);
    dirs.push(path);
  }
  const names: string[] = [];
  for (const [i, file] of files.entries()) {
    const path = join(pick(dirs, file.at), `${file.name}.${i}`);
    if (file.kind === 'link') symlinkSync(pick(['plain.0', 'nowhere', '..'], file.pick), path);
    else if (file.kind === 'fifo') execFileSync('mkfifo', ['--', path]);
    else if (file.kind === 'hard' && names.length > 0) linkSync(pick(names, file.pick), path);
    else {
      const fd = openSync(path, 'wx');
      if (file.kind === 'text') writeSync(fd, `${path}\n`.repeat(1 + (file.pick % 200)));
      if (file.kind === 'sparse') {
        ftruncateSync(fd, 1 << 20);
        writeSync(fd, 'x', 5000);
      }
      closeSync(fd);
      chmodSync(path, file.mode);
    }
    names.push(path);
  }
  for (const directory of dirs.toReversed()) utimesSync(directory, 1e9, 1e9 + dirs.indexOf(directory) + 0.123456);
  writeFileSync(join(root, 'last'), '');
  return { dirs, names };
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
type Pick = {
  readonly file: string;
  readonly other: string;
  readonly dir: string;
  readonly to: string;
  readonly fresh: string;
};

const exchange = (a: string, b: string) =>
  `python3 -c 'import ctypes,os,sys; ctypes.CDLL(None).renameat2(-100,os.fsencode(sys.argv[1]),-100,os.fsencode(sys.argv[2]),2)' ${a} ${b}`;
const mapped = (file: string) =>
  `python3 -c 'import mmap,os,stat,sys
p=sys.argv[1]
if stat.S_ISREG(os.lstat(p).st_mode) and os.path.getsize(p):
    m=mmap.mmap(open(p,"r+b").fileno(),0); m[0:1]=b"Z"; m.flush(); os.rename(p,p+".r"); os.link(p+".r",p)' ${file}`;
const node = (file: string) =>
  `${quote(process.execPath)} -e 'require("fs").rmSync(process.argv[1],{recursive:true,force:true})' -- ${file}`;

const BLANK: Pick = { file: '', other: '', dir: '', to: '', fresh: '' };

/** Kinds of random commands, each a line of bash; failing commands are as useful as working ones. */
const KINDS: readonly ((pick: Pick) => string)[] = [
  ({ file }) => `[ -f ${file} ] && echo more >> ${file}`,
  ({ file }) => `[ -f ${file} ] && echo other > ${file}`,
  ({ file }) => `[ -f ${file} ] && sed -i s/t/T/ -- ${file}`,
  ({ file }) => `[ -f ${file} ] && truncate -s 3 -- ${file}`,
  ({ file }) => `rm -f -- ${file}`,
  ({ dir }) => `rm -rf -- ${dir}`,
  ({ dir }) => `find ${dir} -type f -delete`,
  ({ file, fresh }) => `mv -- ${file} ${fresh}`,
  ({ file, other }) => `mv -f -- ${file} ${other}`,
  ({ dir, fresh }) => `mv -T -- ${dir} ${fresh}`,
  ({ dir, to }) => exchange(dir, to),
  ({ file, dir }) => exchange(file, dir),
  ({ file, fresh }) => `ln -- ${file} ${fresh}`,
  ({ file }) => `ln -sf elsewhere -- ${file}`,
  ({ file }) => `chmod 700 -- ${file}`,
  ({ dir }) => `chmod -R u+w,g-r -- ${dir}`,
  ({ dir }) => `chmod 500 -- ${dir}`,
  ({ file }) => `touch -d 2001-01-01 -- ${file}`,
  ({ fresh }) => `mkdir -p -- ${fresh}/x/y && echo z > ${fresh}/x/y/z`,
  // Copying into itself recurses as deep as the order of names allows.
  ({ dir, fresh }) => `case ${fresh} in ${dir}/*) ;; *) cp -a -- ${dir} ${fresh} ;; esac`,
  ({ file, to }) => `cp -rf --remove-destination -- ${file} ${to}`,
  ({ dir, fresh }) => `tar cf ${fresh} -C ${dir} . && tar xf ${fresh} -C ${dir}`,
  ({ dir }) =>
    `cd ${dir} && git init -q . && git add -A . ; git -c user.name=a -c user.email=b commit -qm x; git gc -q --prune=now`,
  ({ dir }) =>
    `cd ${dir} && git init -q . && git add -A . ; git -c user.name=a -c user.email=b commit -qm x; git rm -rfq . ; git reset -q --hard; git clean -fdxq`,
  ({ dir, to, file, fresh }) => `rm -rf -- ${dir} & cp -a -- ${to} ${fresh} & mv -- ${file} ${fresh}m & wait`,
  ({ file }) => mapped(file),
  ({ dir }) => node(dir),
  ({ file }) => `[ -f ${file} ] && exec 7<>${file} && rm -f -- ${file}; echo late >&7`,
];

export const scripts = fc.array(fc.tuple(fc.nat({ max: KINDS.length - 1 }), index, index, index, index), {
  minLength: 1,
  maxLength: 12,
});
/** Excludes commands whose result depends on timing or contains times. */
const UNSTEADY = / & |^tar /;
export const steadyScripts = scripts.map((script) =>
  script.filter(([kind]) => !UNSTEADY.test(KINDS[kind]?.(BLANK) ?? '')),
);
export type Script = typeof scripts extends fc.Arbitrary<infer T> ? T : never;

/** Returns the script as bash: every command is a process of its own, and none can wait for ever. */
export function written(script: Script, { dirs, names }: ReturnType<typeof grow>): string {
  const below = dirs.length > 1 ? dirs.slice(1) : dirs;
  const at = (list: readonly string[], i: number) => quote(list[i % list.length] ?? '');
  return script
    .map(([kind, a, b, c, d], i) => {
      const fresh = quote(join(dirs[d % dirs.length] ?? '', `new${i}`));
      const line = KINDS[kind]?.({
        file: at(names, a),
        other: at(names, b),
        dir: at(below, c),
        to: at(below, d),
        fresh,
      });
      return `timeout 20 bash -c ${quote(line ?? '')} </dev/null >/dev/null 2>&1`;
    })
    .join('\n');
}
