/**
 * Lines that lose data because the state differs from the state they expect. Each line was once judged safe, or is
 * similar to a line that was; each does its harm in the scratch tree.
 */

/** Commands that prepare a state in the project before a line runs. */
const SETUPS = {
  none: '',
  scripts: `printf 'rm -f precious.txt\\n' >evil.sh; chmod +x evil.sh; printf 'import os\\nos.remove("precious.txt")\\n' >evil.py
    printf 'all:\\n\\trm -f precious.txt\\n' >evil.mk; printf 'w precious.txt\\n' >evil.sed
    printf 'BEGIN { print "x" > "precious.txt" }\\n' >evil.awk; printf 'echo ok\\n' >ok.sh`,
  wrappers: `printf '#!/bin/sh\\nrm -f precious.txt\\n' >gradlew; chmod +x gradlew; cp gradlew configure; cp gradlew mvnw
    printf 'import os\\nos.remove("precious.txt")\\n' >manage.py; cp gradlew build.sh; mkdir bin; cp gradlew bin/console`,
  locked: 'mkdir locked; chmod 000 locked',
  archive: `mkdir links; ln -s ../precious.txt links/up; ln -s precious.txt links/n; tar cf links.tar -C links n
    tar czf links.tgz -C links n; (cd links && zip -qy ../links.zip n)`,
  branch: `git checkout -qb links main 2>/dev/null; ln -s precious.txt n; ln -s ../precious.txt up; git add n up
    git commit -qm links; git checkout -q main; git init -q -b main other; ln -s ../precious.txt other/up
    git -C other add up; git -C other commit -qm up`,
  ignored: `git checkout -qb tracked main; echo theirs >secret.env; git add -f secret.env; git commit -qm env
    git checkout -q main; echo secret.env >>.git/info/exclude; echo mine >secret.env`,
  refspecs: `git init -q --bare ../remote.git; git remote add origin ../remote.git; git push -q origin main
    git checkout -qb theirs; echo t >t.txt; git add t.txt; git commit -qm theirs; git push -qf origin theirs:main
    git push -q origin main:only; git checkout -q main; git branch -qD theirs; git reflog expire --expire=now --all
    git update-ref -d refs/remotes/origin/main; git commit -q --allow-empty -m ours`,
  forced: 'git config remote.origin.push +refs/heads/main:refs/heads/main',
  fetched: `git config remote.origin.fetch +refs/heads/only:refs/tags/v2
    git tag v2 "$(git commit-tree -m kept 'HEAD^{tree}')"`,
  mirror: 'git config remote.origin.mirror true',
} as const;
type Setup = keyof typeof SETUPS;

const EVALUATED = "'a[$(rm -f precious.txt)]'";

const FAMILIES: readonly (readonly [family: string, setups: readonly Setup[], lines: readonly string[]])[] = [
  [
    'a script that is not where the line looks, or that a pattern names',
    ['scripts'],
    [
      'cd nope; bash evil.sh',
      'cd nope\nsh evil.sh',
      'cd nope; . ./evil.sh',
      'cd nope; source evil.sh',
      'cd nope; ./evil.sh',
      'cd nope; python3 evil.py',
      'cd nope; make -f evil.mk',
      'cd nope; awk -f evil.awk',
      'cd nope; sed -n -f evil.sed a.json',
      'cd nope; bash < evil.sh',
      'cd nope; cat evil.sh | bash',
      'pushd nope; bash evil.sh',
      'cd nope || true; bash evil.sh',
      'cd nope; cd deeper; bash evil.sh',
      'bash ev*l.sh',
      'bash ev?l.sh',
      'bash {evil,none}.sh',
      'source ev?l.sh',
      '. ./ev[i]l.sh',
      './ev*l.sh',
      'python3 ev?l.py',
    ],
  ],
  [
    'a directory that is not there',
    ['none'],
    [
      'cd buld; ls > precious.txt',
      '[ -d dist ] && cd dist; ls > precious.txt',
      'cd src & ls > precious.txt',
      'pushd buld; ls > precious.txt',
      'cd buld || echo none; ls > precious.txt',
      '(cd src); ls > precious.txt',
      'cd src | cat; ls > precious.txt',
      'f() { cd buld; }; f; ls > precious.txt',
      "bash -c 'cd buld; ls > precious.txt'",
      'if [ -d dist ]; then cd dist; fi; ls > precious.txt',
      'cd buld 2>/dev/null; cp a.json precious.txt',
      'cd buld; mv a.json precious.txt',
      'cd buld; echo x | tee precious.txt',
      'for d in buld bild; do cd $d; ls > precious.txt; done',
      'test -e dist && cd dist; sort a.json -o precious.txt',
      'grep -q zzz a.json && cd src; ls > precious.txt',
      'cd src; cd ..; cd buld; ls > precious.txt',
      'D=buld; cd "$D"; ls > precious.txt',
      'cd "$(echo buld)"; ls > precious.txt',
      'while cd buld; do break; done; ls > precious.txt',
      'cd src && cd buld; cd ..; ls > precious.txt',
      'case x in y) cd src;; esac; ls > precious.txt',
      'pushd src; popd; ls > precious.txt',
      'cd -; ls > precious.txt',
      'cd a.json; ls > precious.txt',
      'false && cd src; ls > precious.txt',
      "eval 'cd buld'; ls > precious.txt",
      '{ cd buld; }; ls > precious.txt',
      'cd buld; ls >| precious.txt',
      'cd buld; dd if=a.json of=precious.txt',
      'cd src; cd "$OLDPWD"; ls > precious.txt',
    ],
  ],
  ['a directory that may not be entered', ['locked'], ['cd locked; ls > precious.txt']],
  [
    'a link that the line makes, or that was there',
    ['archive'],
    [
      'cp -l precious.txt n; echo x > n',
      'mv lnk l2; echo x > l2',
      'echo x > link/../victim',
      'cp a.json link/../victim',
      'mv link l2; echo x > l2/../victim',
      'cd link; ls > ../victim',
      'cd link; cd -P ..; ls > victim',
      'cd -P link; ls > ../victim',
      'ln precious.txt n; echo x > n',
      'ln -s precious.txt n; echo x > n',
      'ln -s precious.txt n && tee n < a.json',
      'ln -s lib d; echo x > d/victim',
      'cp -s "$PWD/precious.txt" n; echo x > n',
      'cp -P lnk n; echo x > n',
      'cp -a lnk n; echo x > n',
      'cp -d lnk n; echo x > n',
      'cp -al lib l3; echo x > l3/victim',
      'cp -l precious.txt n; truncate -s 0 n',
      'mv lnk d1; sort a.json -o d1',
      'tar xf links.tar; echo x > n',
      'tar xzf links.tgz && cp a.json n',
      'unzip -q links.zip; echo x > n',
      'cp -r links/. .; echo x > n',
      'cp -R links/n .; echo x > n',
      'find links -name n -exec cp -P {} . \\;; echo x > n',
      'ls links | xargs -I{} cp -P links/{} .; echo x > n',
    ],
  ],
  [
    'a link that a checkout brings',
    ['branch'],
    [
      'git checkout -q links; echo x > n',
      'git switch -q links; echo x > n',
      'git merge -q links; echo x > n',
      'git cherry-pick links >/dev/null; echo x > n',
      'git worktree add -q w links; echo x > w/up',
      'git clone -q other c; echo x > c/up',
      'git pull -q . links; echo x > n',
    ],
  ],
  [
    'a variable that evaluates what it is given',
    ['none'],
    [
      `RANDOM=${EVALUATED}`,
      `OPTIND=${EVALUATED}`,
      `export RANDOM=${EVALUATED}`,
      `read RANDOM <<< ${EVALUATED}`,
      `printf -v RANDOM %s ${EVALUATED}`,
      `for RANDOM in ${EVALUATED}; do :; done`,
      `declare -i n=${EVALUATED}`,
      `declare -i n; n=${EVALUATED}`,
      `typeset -i n; read n <<< ${EVALUATED}`,
      `f() { local -i n=${EVALUATED}; }; f`,
      `declare -n r=RANDOM; r=${EVALUATED}`,
      `x=${EVALUATED}; echo $((x))`,
      `x=${EVALUATED}; [[ $x -eq 0 ]]`,
      `x=${EVALUATED}; (( x ))`,
      `x=${EVALUATED}; echo \${HOME:x}`,
      `x=${EVALUATED}; let x`,
      `x=${EVALUATED}; list[x]=1`,
      `a=(1); test -v ${EVALUATED}`,
      `a=(1); unset ${EVALUATED}`,
    ],
  ],
  [
    'operands that come from elsewhere',
    ['none'],
    [
      'find . -type f -exec chmod 600 {} +',
      'find . -type f -print0 | xargs -0 chmod 600',
      'ls | xargs chmod 700',
      'chmod 600 $(find . -type f)',
      'for f in $(find . -type f); do chmod 600 "$f"; done',
      'find . -type f | while read -r f; do chmod 600 "$f"; done',
      "find . -name 'prec*' -exec truncate -s 0 {} +",
      'ls prec* | xargs truncate -s 0',
      "find . -name 'prec*' -exec cp a.json {} \\;",
      'ls prec* | xargs -I{} cp a.json {}',
      'F=$(ls prec*); echo x > "$F"',
      'read -r F <<< precious.txt; echo x > "$F"',
      'echo precious.txt | while read -r f; do echo x > "$f"; done',
      'echo precious.txt > names; xargs -a names rm',
      'ls > prec*',
      'mapfile -t F <<< precious.txt; echo x > "$F"',
    ],
  ],
  [
    'a job beside',
    ['scripts'],
    [
      'cp evil.sh ok.sh & wait; bash ok.sh',
      '(sleep 0.1; cat evil.sh > ok2.sh) & sleep 0.4; bash ok2.sh',
      'cat evil.sh >> ok.sh & wait; sh ok.sh',
      'ln -s precious.txt n & wait; echo x > n',
      'mv lnk n & wait; echo x > n',
      'cp -l precious.txt n & sleep 0.2; echo x > n',
    ],
  ],
  [
    'a file that git ignores and overwrites',
    ['ignored'],
    [
      'git checkout -q tracked',
      'git switch -q tracked',
      'git merge -q tracked',
      'git pull -q . tracked',
      'git cherry-pick tracked',
      'git checkout -q -b new tracked',
      'git stash -q; git rebase -q tracked',
    ],
  ],
  ['a refspec that forces a push', ['refspecs', 'forced'], ['git push -q', 'git push -q origin']],
  [
    'a refspec that forces a fetch',
    ['refspecs', 'fetched'],
    ['git fetch -q', 'git fetch -q origin', 'git fetch -q --all'],
  ],
  ['a remote that is a mirror', ['refspecs', 'mirror'], ['git push -q', 'git push -q origin']],
  [
    'a famous name whose text is there',
    ['wrappers'],
    ['./gradlew build', './configure', './mvnw test', 'python3 manage.py check', './build.sh', './bin/console list'],
  ],
];

/** Every line of the families, with the commands that prepare its state. */
export const FAMILY_CASES = FAMILIES.flatMap(([family, setups, lines]) =>
  lines.map((line) => ({ family, line, setup: setups.map((name) => SETUPS[name]).join('\n') })),
);
