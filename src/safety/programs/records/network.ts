import { pattern } from '../../../text/pattern.ts';
import type { Machine } from '../../shell/machine.ts';
import { hasUnknown } from '../../shell/taint.ts';
import { harmless, type StaticVerdict, unknown, worse } from '../../verdict.ts';
import { adds, bringsFiles, fillsDirectory, lookAt, specialDirectory, specialTarget } from '../paths.ts';
import { type CallFacts, given, isFed, type Reading, type Records } from '../record.ts';

/** Returns the last value given to one of these options. */
function valueGiven(reading: Reading, ...names: readonly string[]): string | undefined {
  return reading.given.findLast(({ name }) => names.includes(name))?.value;
}

/** Returns the file name under which an address is saved; undefined if it can’t be determined. */
function nameIn(address: string): string | undefined {
  return /\/([^/?#]+)(?:[?#].*)?$/.exec(address.replace(/^\w+:\/\//, ''))?.[1];
}

/** Judges files named after the address and saved in `folder`, by `-O` or by wget without an option. */
function judgeNamed(
  { machine }: CallFacts,
  addresses: readonly string[],
  folder: string,
  replaces: boolean,
): StaticVerdict | undefined {
  let worst: StaticVerdict | undefined;
  const note = (found: StaticVerdict | undefined): void => {
    if (found) worst = worst ? worse(worst, found) : found;
  };
  for (const address of addresses) {
    const name = nameIn(address);
    if (name === undefined || hasUnknown(name) || /[{}[\]%]/.test(name)) {
      note(specialDirectory(machine, folder));
      if (name !== undefined) note(unknown('writes a file with an unknown name'));
      continue;
    }
    const target = folder === '.' ? name : `${folder.replace(/\/$/, '')}/${name}`;
    note(specialTarget(machine, target));
    const found = lookAt(machine, target);
    if (replaces && machine.files && found !== 'absent' && found !== 'empty')
      note(unknown('overwrites a file if there is one'));
  }
  return worst;
}

function judgeCurl(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  if (reading.given.some(({ name, value }) => /^(-H|--header)$/.test(name) && value?.startsWith('@')))
    return unknown('sends a file');
  // `-o '#1.txt'` names files by parts of a pattern in the address.
  if (reading.given.some(({ name, value = '' }) => /^(-o|--output)$/.test(name) && /#\d/.test(value)))
    return unknown('names its files after parts of the address');
  const folder = valueGiven(reading, '--output-dir');
  const addresses = [
    ...reading.operands.map(({ text }) => text),
    ...reading.given.flatMap(({ name, value = '' }) => (name === '--url' ? [value] : [])),
  ];
  if (addresses.some((address) => address.startsWith('@'))) return unknown('reads addresses from a file');
  if (given(reading, '-O', '--remote-name', '--remote-name-all'))
    return judgeNamed(call, addresses, folder ?? '.', true);
  if (folder !== undefined) {
    const name = valueGiven(reading, '-o', '--output') ?? '';
    const place = specialDirectory(call.machine, folder, [name]);
    if (place) return place;
    if (call.machine.files && lookAt(call.machine, `${folder}/${name}`) !== 'absent')
      return unknown('overwrites a file if there is one');
  }
  const out = valueGiven(reading, '-w', '--write-out') ?? '';
  if (/%output\{|^@/.test(out)) return unknown('curl -w writes or reads a file');
  const method = valueGiven(reading, '-X', '--request') ?? 'GET';
  return /^(GET|HEAD|OPTIONS)$/i.test(method) ? undefined : unknown('sends a request that changes something');
}

function judgeWget(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  if (given(reading, '--spider')) return undefined;
  const folder = valueGiven(reading, '-P', '--directory-prefix') ?? '.';
  if (given(reading, '-r', '--recursive', '-p', '--page-requisites'))
    return unknown('writes files that the server names');
  if (given(reading, '-O', '--output-document')) return undefined;
  const addresses = reading.operands.map(({ text }) => text);
  return judgeNamed(call, addresses, folder, true);
}

/** An operand of rsync or scp on another machine. */
const REMOTE = /^(rsync:\/\/|(?:[\w.-]+@)?[\w.-]+::?(?!\\))/;

/** Judges the targets of rsync, and the files that it sends. */
export function judgeRsync(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const names = reading.operands.map(({ text }) => text);
  const target = names.at(-1) ?? '';
  const sources = names.slice(0, -1);
  const listed = valueGiven(reading, '--files-from', '--exclude-from', '--include-from', '--password-file') ?? '';
  if (REMOTE.test(listed)) return unknown('reads a list from another machine');
  if (names.some(hasUnknown)) return unknown('copies to or from an unknown place');
  if (given(reading, '--dry-run', '-n', '--list-only') || sources.length === 0) return undefined;
  if (REMOTE.test(target)) return unknown('copies files to another machine');
  const { machine } = call;
  bringsFiles(machine, target);
  // With a list of names, or an existing directory, the overwritten files are unknown.
  const blind = !machine.files && (/^(\.{0,2}\/*)+$/.test(target) || given(reading, '--files-from'));
  const there = blind || (machine.files !== undefined && lookAt(machine, target) !== 'absent');
  return [
    target.endsWith('/') ? undefined : specialTarget(machine, target),
    ...sources.flatMap((source) => judgeArrival(machine, source, target)),
    there && !given(reading, '--ignore-existing') ? unknown('may overwrite existing files') : undefined,
  ].reduce(worseOf, undefined);
}

/** Judges one source of rsync by the name that it gets in the target. */
function judgeArrival(machine: Machine, source: string, target: string): readonly (StaticVerdict | undefined)[] {
  const name = source.endsWith('/') ? '' : source.slice(source.search(/[^/:]*$/));
  const replaces = source === '/dev/null' || (!source.includes('/') && /\.\w+$/.test(source) && /\.\w+$/.test(target));
  return [
    name === '' ? specialDirectory(machine, target) : specialDirectory(machine, target, [name]),
    name !== '' && !/\.\w+$/.test(name) ? specialDirectory(machine, `${target}/${name}`) : undefined,
    replaces ? unknown('overwrites the file if there is one') : undefined,
  ];
}

function judgeScp(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const target = reading.operands.at(-1)?.text ?? '';
  const { machine } = call;
  if (REMOTE.test(target)) return unknown('copies files to another machine');
  if (reading.operands.some(({ text }) => hasUnknown(text))) return unknown('copies to or from an unknown place');
  const names = reading.operands.slice(0, -1).map(({ text }) => text.slice(text.search(/[^/:]*$/)));
  const special = worseOf(specialTarget(machine, target), specialDirectory(machine, target, names));
  if (special) return special;
  if (!machine.files) return /[\w-]\.\w+$/.test(target) ? unknown('overwrites a file if there is one') : undefined;
  return /^\.?\/?$|\/$/.test(target) || lookAt(machine, target) !== 'absent'
    ? unknown('overwrites a file if there is one')
    : undefined;
}

function worseOf(a: StaticVerdict | undefined, b: StaticVerdict | undefined): StaticVerdict | undefined {
  return a && b ? worse(a, b) : (a ?? b);
}

/** Judges `unzip -d DIR`: it asks before an overwrite and gets no answer, but may add files of any name. */
export function judgeUnzip(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  if (given(reading, '-l', '-t', '-v', '-p', '-c', '-z', '-Z', '-Z1')) return undefined;
  if (isFed(call)) return unknown('unzip asks before it overwrites something, and its input answers');
  const folder = valueGiven(reading, '-d');
  bringsFiles(call.machine, folder ?? '.');
  return folder === undefined ? specialDirectory(call.machine, '.') : fillsDirectory(call.machine, folder, true);
}

/** A header, with a value or without: the only item that does not make the request send data. */
const HEADER = /^[\w-]+(:(?![=@])|;$)/;

/** Judges HTTPie and similar, which send their input and the data in items (`a=b`, `file@path`, `@path`). */
export function judgeItems(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const [first = '', ...rest] = reading.operands.map(({ text }) => text);
  const hasMethod = rest.length > 0 && /^[a-z]+$/i.test(first);
  const items = hasMethod ? rest.slice(1) : rest;
  const reads = isFed(call) && !given(reading, '-I', '--ignore-stdin');
  const asks = !hasMethod || /^(get|head|options)$/i.test(first);
  return asks && !reads && items.every((item) => HEADER.test(item)) ? undefined : unknown('sends data to a server');
}

/** Options of ssh that only change how the connection is made and kept. */
const SSH_OPTION = pattern(
  String.raw`
    ^\s*(BatchMode|ConnectTimeout|ConnectionAttempts|StrictHostKeyChecking|ServerAlive\w+|TCPKeepAlive|LogLevel
    |Port|User|IdentitiesOnly|PasswordAuthentication|PreferredAuthentications|RequestTTY|Compression
    |NumberOfPasswordPrompts|ControlMaster|ControlPersist|HashKnownHosts|AddressFamily)\s*[=\x20]
  `,
  'i',
);

/** Network programs: names, addresses, downloads. */
export const NETWORK: Records = {
  curl: {
    leaves: { as: 'request' },
    traits: ['sends', 'namesOnly'],
    keys: '-E --cert --key --netrc-file',
    tune: '--output-dir= -# -0 -1 -2 -3 -4 -6   -B  -f -g -G -h  -i -I -j -l -L -m= -M  -N  -q  -R -s -S -v -V -w= -X= -y= -Y= -z= -Z  -:   --fail --fail-with-body --fail-early --globoff --get  --include --head --junk-session-cookies --location --max-time= --no-buffer  --remote-time --silent --show-error --verbose --write-out= --request= --speed-time= --speed-limit= --time-cond= --parallel --parallel-max= --compressed --connect-timeout= --retry= --retry-delay= --retry-max-time= --retry-connrefused --retry-all-errors --max-redirs= --max-filesize= --limit-rate= --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tls-max= --ssl --ssl-reqd --ipv4 --ipv6 --no-progress-meter --progress-bar  --raw --path-as-is --tcp-nodelay --keepalive-time= --no-keepalive --proto= --proto-default= --proto-redir= --styled-output --no-styled-output --disable --list-only --no-clobber --continue-at= -C= --create-dirs --rate= --ciphers=  --next --show-headers --expect100-timeout= --happy-eyeballs-timeout-ms= --ftp-pasv --disable-epsv --crlf  ',
    ask: '-A= -e= -H= -r= --user-agent= --referer= --header= --url= --range=',
    read: '--cacert= --capath= --crlfile=',
    write:
      '-o= --output= -D= --dump-header= -c= --cookie-jar= --trace= --trace-ascii= --stderr= --libcurl= --etag-save= --hsts= --alt-svc= --ssl-sessions= ',
    add: '-O --remote-name --remote-name-all',
    load: '-K= --config= --engine= --ntlm-wb -J --remote-header-name',
    send: '-d= --data= --data-raw= --data-binary= --data-urlencode= --data-ascii= --json= -F= --form= --form-string= -T= --upload-file= -Q= --quote= -a --append --mail-from= --mail-rcpt= --mail-auth= --url-query= -t= --telnet-option= -u= --user= -U= --proxy-user= -b= --cookie= -E= --cert= --key= -n --netrc --netrc-file= --netrc-optional --oauth2-bearer= --aws-sigv4= --variable= -x= --proxy= --preproxy= --socks4= --socks4a= --socks5= --socks5-hostname= --connect-to= --resolve= --doh-url= --unix-socket= --abstract-unix-socket= --interface= -k --insecure --dns-servers= --location-trusted -P= --ftp-port= --haproxy-protocol --proxy-header= --pass= --negotiate --ntlm --digest --basic --anyauth --delegation= --remove-on-error',
    operands: 'ask',
    judge: judgeCurl,
  },
  wget: {
    values: '-D',
    leaves: { as: 'request' },
    traits: ['sends', 'namesOnly'],
    keys: '--certificate --private-key',
    ask: '-U= --user-agent= --referer=',
    tune: '-P= --directory-prefix= -A= -# -4 -6   -c -d -F -H -I= -l= -L -N -nc -nd -nv -np -nH -q -Q= -r -R= -s -S -t= -T=  -v -w= -X= --quiet --verbose --no-verbose --continue --tries= --timeout= --connect-timeout= --read-timeout= --dns-timeout= --wait= --waitretry= --random-wait --limit-rate=  --server-response --spider --no-clobber --timestamping --no-parent --level= --recursive --accept= --reject= --accept-regex= --reject-regex= --domains= --exclude-domains= --no-directories --force-directories --no-host-directories --cut-dirs= --show-progress --progress= --no-cache --no-dns-cache --inet4-only --inet6-only --retry-connrefused --max-redirect=  --no-cookies --quota= --secure-protocol= --https-only  --compression=  --restrict-file-names= --no-hsts --no-config --no-netrc --no-proxy --convert-links -k -p --page-requisites --adjust-extension -E --span-hosts',
    write:
      '-O= --output-document= -o= --output-file= -a= --append-output= --save-cookies= --rejected-log= --hsts-file=  ',
    load: '-e= --execute= --config= --use-askpass= --load-cookies= -i= --input-file= --content-disposition --trust-server-names',
    send: '--post-data= --post-file= --method= --body-data= --body-file= --header= --user= --password= --http-user= --http-password= --certificate= --private-key= --no-check-certificate --proxy-user= --proxy-password= --auth-no-challenge --ask-password',
    delete: '--delete-after -m --mirror -x -K --backup-converted --backups -b --background',
    operands: 'ask',
    judge: judgeWget,
  },
  ping: {
    traits: ['sends'],
    ask: '-p=',
    tune: '-# -4 -6 -a -A -b -B -c= -C= -d -D -f -h -H -i= -I= -l= -L -m= -M= -n -O -q -Q= -R -r= -s= -S= -t= -T= -U -v -V -w= -W= -e -u',
    operands: 'ask',
  },
  'traceroute traceroute6 tracepath mtr': {
    traits: ['sends'],
    tune: '-# -4 -6 -b -c= -d -e -f= -g= -h -i= -I -l -m= -n -N= -o= -p= -P= -q= -r -s= -t= -T -u -U -w= -z= -A -F --report --report-wide --report-cycles= --no-dns --tcp --udp --json --csv --interval= --max-ttl=',
    operands: 'ask',
  },
  dig: {
    traits: ['sends'],
    tune: '-# -4 -6 -b= -c= -h -m -p= -q= -t= -u -v -x= -y= +short',
    load: '-f= -k=',
    operands: 'ask',
  },
  'host nslookup whois': {
    traits: ['sends'],
    ask: '-h=',
    tune: '-# -a -c= -C -d -l -i -N= -p= -r -R= -s -t= -T -v -w -W= -4 -6  -H -type= -query= -debug -timeout= -port=',
    operands: 'ask',
  },
  'ss netstat': {
    tune: '-# -4 -6 -a -A= -b -c -C -e -f= -F= -g -h -H -i -I= -l -m -M -n -N= -o -O -p -r -s -S -t -T -u -v -V -w -W -x -z -Z --all --listening --tcp --udp --numeric --processes --programs --route --summary --extended --info --memory --options --resolve --unix --family= --query= --ipv4 --ipv6 --no-header --statistics --interfaces --raw --continuous --wide --verbose --groups --timers',
    write: '-D= --diag=',
    delete: '-K --kill',
    operands: 'tune',
  },
  arp: { tune: '-a -n -v -e -H= -i= -D', delete: '-d -s -f', operands: 'tune' },
  ip: {
    values: '-rc -rcvbuf',
    tune: '-# -4 -6 -B -M -0 -br -brief -c[=] -color[=] -d -details -f= -family= -h -human -iec -j -json -l= -N -n= -netns= -o -oneline -p -pretty -r -resolve -s -stats -statistics -t -timestamp -ts -tshort -a -all',
    load: '-b= -batch= -force',
    singleDash: true,
    subs: {
      'addr address a link l route r ro neigh neighbour neighbor n rule ru maddress m tunnel tun netns vrf netconf mroute token tcp_metrics nexthop ntable':
        { subs: { '': {}, 'show list ls lst l get s sh dev': { operands: 'tune' } } },
      monitor: { operands: 'tune' },
      '': {},
    },
  },
  ifconfig: {
    tune: '-a -s -v -n -e -ee',
    operands: 'tune',
    judge: (_, reading) => (reading.operands.length > 1 ? unknown('changes the network') : undefined),
  },
  'ssh-keygen': {
    traits: ['namesOnly'],
    asks: '',
    tune: '-l -B -v -q -E= -t= -b= -C= -N= -a= -y -e -F= -m= -L -f=',
    load: '-D= -w= -O= -P= -K -Y= -k -s= -I= -n=',
    delete: '-p -c -R= -H -A -M= -i -u -Q -U -V=',
    operands: 'read',
    judge: judgeKey,
  },
  'ssh-add': {
    traits: ['printsSetup'],
    tune: '-l -L -q -v -T= -E= -t= -c',
    delete: '-d -D -x -X -K -A',
    load: '-s= -e= -S= -H= -h=',
    operands: 'read',
    judge: (_, reading) => (given(reading, '-l', '-L', '-T') ? undefined : unknown('hands a key to the agent')),
  },
  'ssh autossh': {
    of: {
      ssh: {
        wraps: { session: true, skip: 1, joined: true, elsewhere: true },
        traits: ['sends', 'namesOnly'],
        keys: '-i -o',
      },
      autossh: { wraps: { skip: 1, joined: true, elsewhere: true }, traits: ['namesOnly'] },
    },
    stopsAtOperand: true,
    tune: '-# -4 -6 -a -C -f -g -K -k -M= -m= -N -n -O= -p= -P= -q -s -T -t -tt -v -vv -vvv -V -x -y  -l= -b= -B= -c= -e= -G -Q= -o=',
    read: '-i=',
    write: '-E= -S=',
    load: '-F= -I=',
    send: '-L= -R= -D= -W= -w= -A -X -Y -J=',
    operands: 'tune shell',
    judge: (call, reading) =>
      // Ssh also accepts options after the host, and commands for an existing connection.
      reading.operands[1]?.text.startsWith('-') ||
      reading.given.some(({ name, value }) => name === '-O' && value !== 'check')
        ? unknown('an order to a connection of ssh')
        : reading.given.some(({ name, value }) => name === '-o' && !SSH_OPTION.test(value ?? ''))
          ? unknown('an option of ssh that can run code or talk to another machine')
          : reading.operands.length > 1 || call.io.stdin !== undefined || given(reading, '-V', '-G', '-Q', '-T')
            ? undefined
            : unknown('starts a session'),
  },
  scp: {
    leaves: { as: 'upload' },
    traits: ['sends', 'namesOnly'],
    keys: '-i -o',
    tune: '-# -3 -4 -6 -B -C -p -q -r -T -v -c= -l= -P= -s -O ',
    read: '-i=',
    load: '-D= -F= -o= -J= -X=',
    run: '-S=',
    operands: 'judged',
    judge: judgeScp,
  },
  'nc ncat netcat': {
    output: { gives: 'fetched' },
    leaves: { as: 'stream' },
    traits: ['sends'],
    tune: '-# -4 -6 -C -d -D -h -i= -I= -k -l -M= -m= -n -N -O= -p= -q= -r -S -s= -T= -t -u -v -V= -w= -W= -z -b -F -Z',
    write: '-o= -x=',
    run: '-e= -c= --exec= --sh-exec= --lua-exec=',
    send: '-X= -P=',
    operands: 'ask',
    judge: (call) =>
      call.io.stdin !== undefined && (call.io.stdin.length > 400 || hasUnknown(call.io.stdin))
        ? unknown('sends text away')
        : undefined,
  },
  nmap: {
    traits: ['sends'],
    tune: '-# -sS -sT -sU -sn -sV -sP -sL -sA -Pn -PE -PS[=] -p= -p- -F -r -O -A -T0 -T1 -T2 -T3 -T4 -T5 -n -R -v -vv -d -6 --open --top-ports= --traceroute --max-retries= --host-timeout= --min-rate= --max-rate= --reason --exclude= -e= -g= -iR= --packet-trace --version-light --osscan-guess',
    singleDash: true,
    read: '-iL= --excludefile=',
    write: '-oN= -oX= -oG=   --append-output',
    load: '--script= -sC --script-args= --script-args-file= --datadir= --servicedb= --versiondb= --resume=',
    operands: 'ask',
  },
  tcpdump: {
    wraps: { values: '-i -w -r -c -s -C -G -W -V -F -E -D -B -Z', code: '-z', skip: 99 },
    tune: '-# -A -b -B= -c= -d -D -e -E= -f -H -i= -I -j= -J= -K -l -L -n -N -nn -O -p -q -Q= -r= -s= -S -t -tt -ttt -T= -u -U -v -vv -vvv -x -X -XX -xx -y= --count --interface= --list-interfaces --number',
    write: '-w=',
    load: '-z= -F= -Z= -W= -C= -G=',
    operands: 'tune',
  },
  openssl: {
    output: { gives: 'decoded' },
    singleDash: true,
    traits: ['prints'],
    keys: '-key -inkey -signkey -CAkey -keyout -out -cert',
    reaches: true,
    subs: {
      'x509 req rsa pkey ec verify dgst s_client crl asn1parse pkcs12 pkcs7 pkcs8 ocsp ciphers genrsa genpkey ecparam dhparam rand enc passwd prime speed version list sess_id ts cms smime storeutl help':
        {
          singleDash: true,
          tune: '-# -noout -text -subject -issuer -dates -startdate -enddate -serial -fingerprint -modulus -pubkey -purpose -email -hash -subject_hash -checkend= -ext= -inform= -outform= -pubin -pubout -check -verify -days= -newkey= -nodes -noenc -x509 -new -subj= -addext= -sha256 -sha1 -sha512 -sha384 -md5 -hex -base64 -connect= -servername= -showcerts -brief -tls1_2 -tls1_3 -starttls= -alpn= -status -state -quiet -ign_eof -verify_return_error -verify_hostname= -prexit -e -d -a -A -p -pbkdf2 -iter= -k= -K= -iv= -S= -salt -nosalt -aes-256-cbc -aes-128-cbc -aes256 -aes128 -des3 -r -binary -c -v -V -s -i -i= -offset= -dump -strparse= -nokeys -nocerts -clcerts -cacerts -info -legacy -passin= -passout= -pass= -algorithm= -pkeyopt= -name= -genkey -list_curves -param_enc= -noattr -nameopt= -certopt= -1 -5 -6 -apr1 -stdin -md= -export -multi= -seconds= -elapsed -evp= -bits= -generate -digest-commands -cipher-commands -cipher-algorithms -public-key-algorithms -a -b -f -o -d -rsa4096',
          read: '-in= -CAfile= -CApath= -untrusted= -key= -cert= -signkey= -inkey= -certfile= -CA= -CAkey= -extfile= -cert_chain= -trusted= -signature= -file=',
          write: '-out= -keyout= -writerand= -CAserial= -sess_out= -keylogfile= -msgfile= -certsout= -outdir=',
          load: '-engine= -provider= -provider-path= -config= -proxy= -CAcreateserial -rand=',
          operands: 'read',
          judge: (call, reading) => {
            const connects = reading.path[0] === 's_client';
            call.machine.sends ||= connects;
            return connects && hasUnknown(call.io.stdin ?? '')
              ? unknown('sends text away')
              : (judgeKeyMade(call, reading) ?? judgeKeyShown(reading));
          },
        },
    },
  },
};

/** Judges a certificate request, which writes a new key over an existing file unless it is given a key. */
function judgeKeyMade({ machine }: CallFacts, reading: Reading): StaticVerdict | undefined {
  const makes = reading.path[0] === 'req' && given(reading, '-new', '-newkey', '-x509');
  if (!makes || given(reading, '-key', '-keyout', '-help')) return undefined;
  return lookAt(machine, 'privkey.pem') === 'absent' ? undefined : unknown('writes a private key to privkey.pem');
}

/** Judges programs that print the private key they read, unless told otherwise. */
function judgeKeyShown(reading: Reading): StaticVerdict | undefined {
  if (!/^(rsa|pkey|ec|pkcs8|pkcs12|storeutl)$/.test(reading.path[0] ?? '')) return undefined;
  const hides = given(reading, '-noout', '-pubout', '-pubin', '-nokeys', '-out', '-help') || reading.given.length === 0;
  return hides ? undefined : unknown('shows a private key');
}

/**
 * Judges ssh-keygen: it reads the file of `-f` to show a fingerprint, key or host; otherwise it writes a new key to
 * that file.
 */
function judgeKey({ machine }: CallFacts, reading: Reading): StaticVerdict | undefined {
  const path = reading.given.findLast(({ name }) => name === '-f')?.value;
  if (path === undefined || given(reading, '-l', '-B', '-y', '-e', '-F', '-L')) return undefined;
  return worse(adds(machine, path), specialDirectory(machine, path) ?? harmless());
}
