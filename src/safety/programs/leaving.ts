/** Finds what a call sends, and to which machine (AC-8), from the call’s words and the program’s record. */

import { PACKAGES } from '../../session/leaving.ts';
import { hasUnknown } from '../shell/taint.ts';
import type { Sending } from '../verdict.ts';
import type { Call } from './call.ts';
import { absolute } from './paths.ts';
import { isDryReading, type Sends } from './record.ts';

/** Notes on the machine the data that a call sends. */
export function noteSending(call: Call): void {
  for (const sending of sendingOf(call)) call.machine.sendings.push(sending);
}

/** Returns the data that a call itself sends; empty where it sends nothing, or only to this machine. */
export function sendingOf(call: Call): readonly Sending[] {
  const { leaves } = call.facts;
  if (!leaves || (call.reading && isDryReading(call.reading)) || call.has('--dry-run')) return [];
  const words = call.operands.map(({ text }) => text);
  if (leaves.when && !leaves.when.test(words.join(' '))) return [];
  return READERS[leaves.as](call, words).filter(({ to }) => !isHere(to));
}

type Reader = (call: Call, words: readonly string[]) => readonly Sending[];

const READERS: Readonly<Record<Sends['as'], Reader>> = {
  push(call, [, remote, ...refs]) {
    const { cwd } = call.machine.scope;
    const place = call.value('-C');
    const directory = place === undefined ? cwd : absolute(call.machine, place);
    const all = call.has('--all', '--branches', '--mirror') ? ['--branches'] : [];
    const tags = call.has('--tags', '--mirror') ? ['--tags'] : [];
    return [
      {
        to: remote ?? '',
        what: [],
        files: [],
        git: {
          ...(directory === undefined ? {} : { directory }),
          refs: [...all, ...tags, ...refs],
          commits: /\bgit\b[^\n;|&]*\bcommit\b/.test(call.machine.source),
          adds: /\bgit\b[^\n;|&]*\badd\b[^\n;|&]*\s(-\w*A|--all|\.)(\s|$|[;&|])/.test(call.machine.source),
        },
      },
    ];
  },
  publish(call, words) {
    const own = call.value('--registry', '--repository-url', '--host', '--index-url', '--publish-url', '--index');
    const [to, port] = hostOf(own ?? REGISTRY[call.program] ?? call.program);
    return [sent(to, `${call.program} ${words[0] ?? ''}`, filesOf(call, words.slice(1)), port)];
  },
  image(call, words) {
    const isBuild = words.slice(0, 2).some((word) => /^(build|bake)$/.test(word));
    const isSent =
      !isBuild || call.has('--push') || /\b(type=registry|push=true)\b/.test(givenTo(call, '-o', '--output').join(' '));
    if (!isSent) return [];
    // The compose file or build file names the images.
    const isListed = words[0] === 'compose' || call.program === 'docker-compose' || words.includes('bake');
    const named = isListed ? [] : isBuild ? givenTo(call, '-t', '--tag') : words.slice(-1);
    return named.length === 0 ? [sent(UNKNOWN_HOST, 'images', [])] : named.flatMap(imageTo);
  },
  stream(call) {
    const words = call.args.map(({ text }) => text);
    const end = call.program === 'socat' ? socatEnd(words) : catEnd(call);
    if (!end) return [];
    const { host, port } = end;
    const given = call.redirects.filter(({ operator, target }) => operator === '<' && target !== '/dev/null');
    const isFed = given.length > 0 || hasUnknown(call.io.stdin ?? '');
    if (end.takes === 'input' && !isFed) return [];
    const targets = given.map(({ target }) => target);
    return [sent(`${host}:${port}`, 'what it is given', filesOf(call, targets), port)];
  },
  request(call, words) {
    const addresses = [...words, ...(call.reading?.given ?? []).flatMap(optionOf('--url'))];
    const method = call.value('-X', '--request', '--method');
    const given = (call.reading?.given ?? []).filter(({ name }) => BODY.test(name));
    const asksWith = call.has('-G', '--get');
    if ((given.length === 0 || asksWith) && (method === undefined || READS.test(method))) return [];
    const files = given.flatMap(({ name, value = '' }) => {
      const named = /^(-T|--upload-file|--post-file|--body-file)$/.test(name)
        ? value
        : /(?:^|=)[@<]([^;]+)/.exec(value)?.[1];
      return named === undefined ? [] : filesOf(call, [named]);
    });
    const verb = method ?? (given.some(({ name }) => /^(-T|--upload-file)$/.test(name)) ? 'PUT' : 'POST');
    return addresses.map((address) => requestTo(address, verb, files));
  },
  items(call, words) {
    const [first = ''] = words;
    const named = /^[a-z]+$/i.test(first) && words.length > 1;
    const rest = named ? words.slice(1) : words;
    const items = rest.slice(1).filter((item) => /[:=]=|=|@/.test(item) && !/^[\w-]+:(?!=)/.test(item));
    if (named ? READS.test(first) : items.length === 0) return [];
    const files = items.flatMap((item) => filesOf(call, /@(.+)/.exec(item)?.slice(1, 2) ?? []));
    return [requestTo(rest[0] ?? '', named ? first.toUpperCase() : 'POST', files)];
  },
  upload(call, words) {
    const target = words.at(-1) ?? '';
    const [, host] = /^(?:\w+:\/\/)?(?:[^@/:]*@)?(\[[^\]]+\]|[\w.-]+)(?::|\/|$)/.exec(target) ?? [];
    const isRemote = call.program === 'sftp' || /^\w+:\/\//.test(target) || /^[^/]*[^/\\]:/.test(target);
    if (!isRemote || host === undefined) return [];
    return [sent(host, 'files', filesOf(call, words.slice(0, -1)), 22)];
  },
  bucket(call, words) {
    const target = words.at(-1) ?? '';
    const to = /^(?:\w+:\/\/[^/]+|[\w.-]+:[^/]*)/.exec(target)?.[0];
    const sources = words.slice(call.program === 'aws' || call.program === 'gcloud' ? 2 : 1, -1);
    return to === undefined ? [] : [sent(to, 'files', filesOf(call, sources))];
  },
  mail: (call, words) => [
    sent(
      words.filter((word) => word.includes('@')).join(', ') || 'by mail',
      'a message',
      filesOf(call, valuesOf(call, '-a', '-A')),
    ),
  ],
  forge: (call, words) => {
    const method = call.value('-X', '--method');
    const fields = call.has('-f', '-F', '--field', '--raw-field', '--input');
    if (words[0] === 'api' && (method === undefined ? !fields : READS.test(method))) return [];
    return [
      {
        to: call.value('-R', '--repo') ?? '',
        what: [words.slice(0, 2).join(' ') + (call.value('-t', '--title') ? `: ${call.value('-t', '--title')}` : '')],
        files: [],
        forge: call.program === 'glab' ? 'gitlab.com' : 'github.com',
        git: { ...(call.machine.scope.cwd === undefined ? {} : { directory: call.machine.scope.cwd }), refs: [] },
      },
    ];
  },
  packages: (_, words) => [{ to: PACKAGES, what: [words.slice(1).join(' ') || 'all packages'], files: [] }],
};

/** Returns the registry of an image; podman’s other transports stay on this machine. */
function imageTo(image: string): readonly Sending[] {
  const name = image.replace(/^docker:\/\//, '');
  if (/^[a-z-]+:\/|^(dir|oci|oci-archive|docker-archive|docker-daemon|containers-storage):/.test(name)) return [];
  const [first = ''] = name.split('/');
  const registry = /[.:]|^localhost$/.test(first) && name.includes('/') ? first : 'docker.io';
  const path = name.replace(/[:@][^/]*$/, '').replace(`${registry}/`, '');
  return isHere(registry) ? [] : [{ ...sent(registry, `image ${name}`, []), to: `${registry}/${path}` }];
}

/** The other machine of a network stream, and the data sent to it: a file, a program’s output, or the call’s input. */
type End = { readonly host: string; readonly port: number; readonly takes: 'file' | 'input' };

/** Returns the receiver of `nc HOST PORT`; a listening call, or one that only tests a port, sends nothing. */
function catEnd(call: Call): End | undefined {
  const [host, port] = call.operands.map(({ text }) => text);
  if (host === undefined || !/^\d+$/.test(port ?? '') || call.args.some(({ text }) => /^-\w*[lzU]/.test(text)))
    return undefined;
  return { host, port: Number(port), takes: 'input' };
}

const REMOTE_END =
  /^(?:TCP[46]?|UDP[46]?|OPENSSL|SSL|SCTP[46]?)(?:-(?:CONNECT|SENDTO|DATAGRAM|CLIENT))?:(\[[^\]]+\]|[^:,]+):(\w+)/i;

/** Returns the receiver of `socat ADDRESS ADDRESS`; with -u only the first address sends, with -U the second. */
function socatEnd(words: readonly string[]): End | undefined {
  const ends = words.filter((word) => /^-$|^(STDIO|STDIN)\b|:|^\//i.test(word) && !/^-./.test(word)).slice(-2);
  const remote = ends.findIndex((end) => REMOTE_END.test(end));
  const [, host, port = ''] = REMOTE_END.exec(ends[remote] ?? '') ?? [];
  const other = ends[1 - remote] ?? '';
  const isReceiver = words.includes(remote === 0 ? '-u' : '-U');
  if (host === undefined || isReceiver || /LISTEN/i.test(other) || REMOTE_END.test(other)) return undefined;
  return { host, port: Number(port) || 443, takes: /^-$|^(STDIO|STDIN)\b/i.test(other) ? 'input' : 'file' };
}

const REGISTRY: Readonly<Record<string, string>> = {
  npm: 'registry.npmjs.org',
  pnpm: 'registry.npmjs.org',
  yarn: 'registry.npmjs.org',
  cargo: 'crates.io',
  gem: 'rubygems.org',
  twine: 'upload.pypi.org',
  uv: 'upload.pypi.org',
  poetry: 'upload.pypi.org',
};

/** Options of clients whose value is the body of a request. */
const BODY = /^(-d|--data.*|--json|-F|--form.*|-T|--upload-file|--post-(data|file)|--body-(data|file))$/;
const READS = /^(GET|HEAD|OPTIONS|TRACE)$/i;

function optionOf(option: string) {
  return ({ name, value = '' }: { readonly name: string; readonly value?: string }) => (name === option ? [value] : []);
}

function valuesOf(call: Call, ...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => call.options.values.get(name) ?? []);
}

/** Returns the values of these options as the program's record reads them, which depends on the subcommand. */
function givenTo(call: Call, ...names: readonly string[]): readonly string[] {
  return (call.reading?.given ?? []).flatMap(({ name, value }) => (names.includes(name) ? (value ?? []) : []));
}

function requestTo(address: string, method: string, files: readonly string[]): Sending {
  const [host, port] = hostOf(address);
  const path = /^(?:\w+:\/\/)?[^/?#]*([^?#]*)/.exec(address)?.[1] || '/';
  return sent(host, `${method} ${path}`, files, port);
}

function sent(to: string, what: string, files: readonly string[], port = 443): Sending {
  const connects = /^[\w.-]+$/.test(to) ? { connects: [`${to}:${port}`] } : /:\d+$/.test(to) ? { connects: [to] } : {};
  return { to, what: [what], files, ...connects };
}

/** Returns the host, with its port if it is not the default one, and the port. */
function hostOf(address: string): readonly [string, number] {
  if (hasUnknown(address)) return [UNKNOWN_HOST, 443];
  const url = URL.parse(/^\w+:\/\//.test(address) ? address : `http://${address}`);
  if (!url || url.hostname === '') return [UNKNOWN_HOST, 443];
  const secure = url.protocol === 'https:' || !/^\w+:\/\//.test(address);
  return [url.host, Number(url.port) || (secure ? 443 : 80)];
}

/** Stands for a receiver that is unknown before the command runs. */
const UNKNOWN_HOST = 'an address that is not known';

/** Returns the files that words name, in the directory of the call. */
function filesOf(call: Call, words: readonly string[]): readonly string[] {
  return words.flatMap((word) => (word === '-' || hasUnknown(word) ? [] : (absolute(call.machine, word) ?? [])));
}

const HERE = /^(localhost|[\w.-]+\.localhost|127(\.\d+){0,3}|\[::1\]|::1|0\.0\.0\.0|host\.docker\.internal)(:\d+)?$/i;

/** Returns whether an address is on this machine. */
function isHere(to: string): boolean {
  return HERE.test(to);
}

const PORTS: Readonly<Record<string, string>> = { 'ssh:': '22', 'http:': '80', 'git:': '9418' };

/** Returns the receiver of a push by its remote’s address: `github.com/me/tool`; undefined for a path, which stays. */
export function remoteOf(address: string): Pick<Sending, 'to' | 'connects'> | undefined {
  const url = /^\w[\w+.-]*:\/\//.test(address) ? URL.parse(address) : undefined;
  const [, host = '', path = ''] = url ? [] : (/^(?:[^@/:]+@)?([\w.-]+|\[[^\]]+\]):(?!:)(.*)$/.exec(address) ?? []);
  if (url?.protocol === 'file:' || (!url && host === '')) return undefined;
  const [name, way] = url ? [url.host, url.pathname] : [host, path];
  if (isHere(name)) return undefined;
  const port = url ? url.port || PORTS[url.protocol] || '443' : '22';
  const to = `${name}/${way.replace(/^\/+|\/+$|\.git\/?$/g, '')}`.replace(/\/$/, '');
  return { to, connects: [`${url?.hostname ?? host}:${port}`] };
}
