import { type StaticVerdict, unknown } from '../../verdict.ts';
import { adds, lookAt } from '../paths.ts';
import { type CallFacts, given, type Reading, type RecordFinding, type Records, row, type Spec } from '../record.ts';
import { judgeInventory } from './system.ts';

/** Judges the server of a client: one on this machine or network is usual; another one may get the password. */
function judgeServer(_: CallFacts, reading: Reading) {
  for (const text of [
    ...reading.given.filter(({ name }) => /^(-h|--host|-d|--dbname)$/.test(name)).map(({ value = '' }) => value),
    ...reading.operands.map((field) => field.text),
  ]) {
    const host =
      /^\w+:\/\/(?:[^@/]*@)?([^/?]*)/.exec(text)?.[1] ?? /\bhost(?:addr)?\s*=\s*(\S+)/.exec(text)?.[1] ?? text;
    const name = host.replace(/:\d+$/, '');
    const near =
      /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[?::1)|\.(local|internal|lan|svc|test|localhost)$|^[^.]*$|^\//.test(
        name,
      );
    if (!near || /\bservice\s*=/.test(text)) return unknown('asks a server elsewhere');
  }
  return undefined;
}

/** Deletes a snapshot, or restores one over existing files. */
const RESTIC_LOSS: RecordFinding = {
  name: 'backup loss',
  asks: {
    any: [
      {
        first: /^(forget|prune|unlock|rebuild-index|repair|rewrite|tag|migrate)$/,
        not: { first: /^tag$/, not: { shape: '--remove|--set' } },
      },
      { first: /^key$/, second: /^(remove|passwd)$/ },
      { first: /^restore$/, any: [{ value: ['--target|-t', /^\/$/] }, { shape: '--delete' }] },
    ],
  },
  reason: 'deletes backups, or restores over existing data',
};

/** The finding about a deleted archive of backups. */
const BORG_LOSS: RecordFinding = {
  name: 'backup loss',
  asks: {
    any: [
      { first: /^(delete|prune|compact|recreate|break-lock|rename|upgrade|repo-delete|rdelete)$/ },
      { shape: '--repair' },
      { first: /^key$/, second: /^change-passphrase$/ },
    ],
  },
  reason: 'deletes backups, or restores over existing data',
};

const BACKUP: Spec = {
  traits: ['speaks'],
  global: true,
  tune: '-# -r= -q -v --repo= --json --last --tag= --host= --path= --short --no-lock --glob-archives= -a= --info --progress --stats --latest= --long --recursive --mode= --quiet --verbose --format= --keep-last= --keep-daily= --keep-weekly= --keep-monthly= --prune --list',
  read: '-p= --password-file= --exclude-file= --files-from=',
  load: '--password-command= -o= --option= --rsh= --remote-path= --repository-file= --cache-dir=',
  dry: '-n --dry-run',
  subs: {
    'snapshots ls find stats check diff cat list version info': { operands: 'tune', delete: '--repair' },
    'forget prune backup create': {
      operands: 'judged',
      tune: '--exclude= -C= --compression=',
      judge: (_, reading) =>
        reading.given.some(({ role }) => role === 'dry') || /^(backup|create)$/.test(reading.path[0] ?? '')
          ? undefined
          : unknown('deletes backups'),
    },
    'init mount copy key dump extract restore delete compact break-lock': {
      open: 'changes a repository or files',
      operands: 'judged',
    },
  },
};

/** Databases, documents and pictures: text passed to them is judged by its own reader. */
export const DATA: Records = {
  psql: {
    traits: ['sends'],
    tune: '-# -A -a -b -e -E -H -l -n -q -s -S -t -w -W -x -X -z -0 -1 -c= -d= -h= -p= -U= -F= -R= -P= -T= -v= --command= --dbname= --host= --port= --username= --list --no-psqlrc --quiet --tuples-only --no-align --expanded --html --csv --field-separator= --pset= --set= --variable= --no-password --password --single-transaction --echo-queries --echo-all --record-separator= --no-readline',
    write: '-o= -L= --output= --log-file=',
    load: '-f= --file=',
    operands: 'tune',
    judge: judgeServer,
  },
  mysql: {
    traits: ['sends'],
    tune: '-# -A -B -e= -h= -P= -p[=] -u= -D= -N -s -t -v -r -E -H -X -S= -C -n -q --batch --execute= --host= --port= --user= --password[=] --database= --skip-column-names --table --silent --verbose --raw --vertical --html --xml --protocol= --socket= --no-auto-rehash --column-names --safe-updates --ssl-mode= --connect-timeout= --default-character-set= --quick',
    write: '--tee=',
    load: '--pager[=] --init-command= --plugin-dir= --default-auth= --defaults-file= --defaults-extra-file= --login-path= --enable-cleartext-plugin --local-infile[=]',
    operands: 'tune',
    judge: judgeServer,
  },
  sqlite3: {
    singleDash: true,
    tune: '-# -readonly -header -noheader -column -csv -json -line -list -html -markdown -box -table -quote -separator= -nullvalue= -newline= -batch -bail -cmd= -echo -stats -ascii -tabs -safe -c=',
    load: '-init= -interactive -append -archive -vfs=',
    operands: 'read tune',
  },
  'redis-cli': {
    values: '-s',
    traits: ['sends', 'speaks'],
    reaches: true,
    tune: '-# -h= -p= -a= -n= -r= -i= -u= --user= --pass= --raw --no-raw --csv --json --scan --pattern= --bigkeys --memkeys --hotkeys --stat --latency --latency-history --tls --no-auth-warning -2 -3 -c -t= --askpass --count= -e',
    write: '--rdb= --functions-rdb=',
    load: '--eval= -x -X= --pipe --cluster= --replica --cacert= --cert= --key=',
    operands: 'judged',
  },
  pg_isready: {
    tune: '-h= -p= -U= -d= -t= -q --host= --port= --username= --dbname= --quiet --timeout=',
    operands: 'tune',
  },
  'pg_dump mysqldump mariadb-dump': {
    tune: '-# -a -b -B -C -c -d= -F= -h= -n= -N= -O -p= -P= -R -s -S= -t= -T= -U= -u= -v -w -W -x -X -Z= -E= -j= --data-only --schema-only --clean --create --if-exists --format= --host= --port= --username= --user= --password[=] --dbname= --table= --schema= --exclude-table= --no-owner --no-privileges --no-acl --compress= --single-transaction --quick --routines --triggers --events --databases= --all-databases --no-data --no-create-info --skip-lock-tables --lock-tables[=] --globals-only --verbose --inserts --column-inserts --no-tablespaces --set-gtid-purged= --default-character-set= --skip-comments --hex-blob --roles-only --no-password --jobs= --add-drop-table --extended-insert --opt',
    write: '-f= --file= -r= --result-file=  --log-error=',
    load: '--defaults-file= --defaults-extra-file= --plugin-dir= --init-command= --tab=',
    operands: 'tune',
    judge: ({ program }, reading) =>
      program === 'pg_dumpall' && !given(reading, '--no-role-passwords')
        ? unknown('shows the passwords of all roles')
        : program.startsWith('pg_') || !given(reading, '-T')
          ? undefined
          : unknown('writes files whose names it computes'),
  },
  pg_restore: {
    tune: '-l -v --list --verbose --schema-only',
    delete: '-c -C -d= --clean --create --dbname=',
    write: '-f= --file=',
    operands: 'read',
  },
  mysqladmin: {
    tune: '-h= -P= -u= -p[=] -S= --host= --port= --user= --password[=] --socket= -s --silent',
    operands: 'tune',
    judge: (_, reading) =>
      reading.operands.every(({ text }) => /^(status|ping|version|variables|processlist|extended-status)$/.test(text))
        ? undefined
        : unknown('changes a server'),
  },
  pandoc: {
    tune: '-# -f= -t= -s -V= -M= -N --from= --to=  --standalone --toc --toc-depth= --wrap= --columns= --number-sections --metadata= --variable= --highlight-style= --mathjax[=] --katex[=] --shift-heading-level-by= --list-input-formats --list-output-formats --list-extensions --self-contained --embed-resources --strip-comments --atx-headers --markdown-headings= --reference-links --quiet',
    read: '-c= --css= --bibliography= --csl= -H= -A= -B= --resource-path= --reference-doc=',
    write: '-o= --output= --log=',
    into: '--extract-media=',
    judge: (_, reading) =>
      /^(lua|server)$/.test(reading.operands[0]?.text ?? '') ||
      reading.given.some(
        ({ name, value = '' }) => /^(-f|-t|--from|--to)$/.test(name) && !/^[a-z_0-9]+([+-][a-z_0-9]+)*$/.test(value),
      )
        ? unknown('pandoc may run a program')
        : undefined,
    load: '-F= --filter= -L= --lua-filter= -d= --defaults= --pdf-engine= --template= --data-dir= ',
    operands: 'read',
  },
  dot: { tune: '-# -T= -G= -N= -E= -K= -q -v -s[=] -n -y -x', write: '-o=', load: '-l=', operands: 'read' },
  fasttext: {
    subs: {
      'supervised skipgram cbow quantize': {
        singleDash: true,
        tune: '-# -lr= -dim= -epoch= -wordNgrams= -minCount= -minCountLabel= -bucket= -thread= -loss= -ws= -neg= -minn= -maxn= -t= -label= -verbose= -lrUpdateRate= -cutoff= -retrain -qnorm -qout -dsub= -autotune-duration= -autotune-metric= -autotune-predictions= -autotune-modelsize= -output= -saveOutput= -seed=',
        read: '-input= -pretrainedVectors= -autotune-validation= -inputModel=',
        judge: judgeModel,
      },
      'test test-label predict predict-prob print-word-vectors print-sentence-vectors print-ngrams nn analogies dump': {
        operands: 'read tune',
      },
    },
  },
  gpg: {
    output: { gives: 'decoded' },
    values: '--local-user --recipient --passphrase --default-key --pinentry-mode',
    traits: ['prints'],
    tune: '-# -a -k -K -q -v -u= -r= --armor --list-keys --list-secret-keys --list-public-keys --fingerprint --list-sigs --check-sigs --verify --show-keys --list-packets --with-colons --keyid-format= --batch --no-tty --quiet --verbose --with-fingerprint --import-options=show-only --list-config --status-fd=  --print-md= --with-subkey-fingerprint --list-options= -d --decrypt',
    idle: '--version -h --dump-options',
    load: '--agent-program= --dirmngr-program= --homedir= --options= --exec-path= --photo-viewer= --load-extension= --keyring= --keyserver= --trust-model=',
    delete:
      '--delete-key --delete-keys --delete-secret-keys --delete-secret-and-public-key --yes --clear --edit-key --gen-key --full-gen-key --quick-gen-key --gen-revoke= --import --sign-key --lsign-key',
    send: '--recv-keys --send-keys --search-keys --fetch-keys --refresh-keys --locate-keys --auto-key-locate= -e --encrypt -s --sign --clear-sign --clearsign -b --detach-sign -c --symmetric --export --export-secret-keys',
    write: '-o= --output= --log-file= --status-file= --attribute-file=',
    operands: 'read',
  },
  jupyter: {
    subs: {
      kernelspec: { subs: { list: { tune: '--json' } } },
      '': { tune: '--version --paths --config-dir --data-dir --runtime-dir' },
    },
  },
  restic: { ...BACKUP, values: '-t --target', family: 'cloud and data', findings: [RESTIC_LOSS] },
  borg: {
    ...BACKUP,
    values: '--keep-yearly --keep-within -P --prefix',
    family: 'cloud and data',
    findings: [BORG_LOSS],
  },
  rustic: { unread: true, family: 'cloud and data', findings: [RESTIC_LOSS] },
  borgmatic: { unread: true, family: 'cloud and data', findings: [BORG_LOSS] },
  rclone: {
    family: 'files',
    findings: [
      row('sync tool delete', 'deletes files at the other end', {
        shapes: ['sync|move|moveto|delete|deletefile|purge|rmdir|rmdirs|cleanup|dedupe|rm|rb|mirror|del|remove|mv +'],
      }),
    ],
    leaves: { as: 'bucket', when: /^(copy|copyto|move|moveto|sync|rcat)\b/ },
    traits: ['sends', 'speaks'],
    reaches: true,
    global: true,
    tune: '-# -v -q -P --progress --stats= --transfers= --checkers= --filter= --include= --exclude= --max-depth= --max-age= --min-age= --bwlimit= --format= --human-readable --fast-list --recursive -R --size-only --one-way --json --quiet --verbose',
    write: '--log-file= --combined= --differ= --missing-on-dst=',
    load: '--config= --password-command= --backup-dir= --metadata-mapper=',
    dry: '-n --dry-run',
    subs: {
      'ls lsl lsd lsf lsjson size check cat tree about listremotes version md5sum sha1sum hashsum cryptcheck': {
        operands: 'tune',
        // A remote written out in the argument contains settings, some of which are commands.
        judge: (_, reading) =>
          reading.operands.every(({ text }) => /^([\w.-]+:)?[^:,="']*$/.test(text))
            ? undefined
            : unknown('a remote with its own settings'),
      },
      'sync copy copyto move moveto delete purge rmdir rmdirs mkdir dedupe cleanup': {
        operands: 'tune',
        judge: (_, reading) =>
          reading.given.some(({ role }) => role === 'dry')
            ? undefined
            : unknown('copies to the other side, over existing files'),
      },
    },
  },
  'ansible ansible-playbook': {
    helpers: 'ldconfig ssh',
    of: { ansible: { values: '-P -B' } },
    tune: '-# -i= -u= -l= -t= -f= -m= -a= -b -k -K -v -vv -vvv -o -D --inventory= --user= --limit= --tags= --skip-tags= --forks= --module-name= --args= --become --diff --become-user= --start-at-task= --step -T= --timeout=',
    dry: '-C --check --syntax-check --list-tasks --list-hosts --list-tags',
    load: '-e= --extra-vars= --vault-password-file= --private-key= -c= --connection= -M= --ssh-common-args= --ssh-extra-args= --become-method= --vault-id=',
    operands: 'judged',
    judge: (call, reading) =>
      judgeInventory(call, reading) ??
      (call.program === 'ansible' || given(reading, '--syntax-check', '--list-tasks', '--list-hosts', '--list-tags')
        ? undefined
        : unknown('runs on other machines', { runsFiles: true })),
  },
};

/** Judges the files of `-output NAME`: the model is NAME.bin, its words NAME.vec, a small one NAME.ftz. */
function judgeModel({ machine }: CallFacts, reading: Reading) {
  const name = reading.given.findLast((option) => option.name === '-output')?.value ?? '';
  const files = (reading.path[0] === 'quantize' ? ['ftz'] : ['bin', 'vec']).map((ending) => `${name}.${ending}`);
  const there = machine.files && files.some((file) => !/^(absent|empty)$/.test(lookAt(machine, file)));
  return there ? unknown('may overwrite an existing model') : adds(machine, `${name}.bin`);
}

/** Tools for tables and trees of data, some with their own language. */
export const TABLE_TOOLS: Records = {
  csvcut: {
    tune: '-# -c= -n -m= -r= -t -d= -l -i -H -s= --columns= --names --not-columns= -C= --no-inference',
    load: '-f= --file=',
    operands: 'read',
  },
  yq: {
    traits: ['prints'],
    helpers: 'jq python3',
    tune: '-# -r -c -n -j -y -Y -P -o= -p= -I= -e -S -C -M -N -0 --raw-output --output-format= --input-format= --prettyPrint --indent= --unwrapScalar --colors --no-colors --exit-status --null-input --no-doc --front-matter= --width= --yaml-output --slurp',
    delete: '-i --inplace --in-place',
    // One of the two programs named yq reads everything at once with `-s`, the other writes a file for each document.
    load: '-s= -f= --from-file= --split-exp= --split-exp-file=',
    operands: 'read',
    judge: ({ args }) =>
      args.some(({ text }) => /\b(system|load\w*)\s*\(|strenv|\$ENV\b|(^|[^.\w])env\b/.test(text))
        ? unknown('yq reads or runs something else')
        : undefined,
  },
  pdftotext: {
    tune: '-f= -l= -x= -y= -W= -H= -r= -layout -raw -nopgbrk -enc= -eol= -fixed= -htmlmeta -bbox -q -h -v',
    singleDash: true,
    operands: 'read write',
    judge: judgeText,
  },
  pdfinfo: { tune: '-f= -l= -enc= -meta -box -dests -isodates -rawdates -v -h', singleDash: true, operands: 'read' },
};

/** Judges the output of a converter: without a second name the text is written in a file beside the document. */
function judgeText({ machine }: CallFacts, reading: Reading): StaticVerdict | undefined {
  const [from, to] = reading.operands;
  if (from === undefined || to !== undefined) return undefined;
  const target = from.text.replace(/\.pdf$/i, '.txt');
  return /^(absent|empty)$/.test(lookAt(machine, target))
    ? undefined
    : unknown('overwrites a file of that name with its text');
}
