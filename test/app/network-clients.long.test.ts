/** Network clients in Project mode: full access where it is allowed, and a clean failure where it is not. */
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionNetwork } from '../../src/app/session-network.ts';
import { projectArgv } from '../../src/effects/sandbox/index.ts';
import { buildTools, type Tools } from '../effects/sandbox/tools.ts';
import { trialsWork } from '../effects/undo/trial-support.ts';
import { lacks } from '../support/lacks.ts';
import { lacksSshd, startSshd } from '../support/sshd.ts';

/** A Java program that uses the client of `java.net.http`. */
const GET = `
import java.net.URI;
import java.net.http.*;
class Get {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(System.getenv("URL"))).build();
    var reply = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    System.out.println(reply.statusCode() + " " + reply.body());
  }
}`;

const GO = `
package main

import ("fmt"; "io"; "net/http"; "os")

func main() {
  reply, err := http.Get(os.Getenv("URL"))
  if err != nil { fmt.Println(err); return }
  body, _ := io.ReadAll(reply.Body)
  fmt.Println(reply.StatusCode, string(body))
}`;

/** Every way to an outside address that bypasses the proxy, with the error it ends in. */
const SOCKETS = `
import asyncio, errno, select, socket
V4, V6, TCP, UDP = socket.AF_INET, socket.AF_INET6, socket.SOCK_STREAM, socket.SOCK_DGRAM
def told(name, act):
    try: print(name, act())
    except OSError as error: print(name, errno.errorcode[error.errno])
def epoll(before):
    one, poll = socket.socket(V4, TCP), select.epoll()
    one.setblocking(False)
    if before: poll.register(one)
    failed = one.connect_ex(('192.0.2.1', 80))
    if not before: poll.register(one)
    return errno.errorcode[failed]
told('tcp', lambda: socket.socket(V4, TCP).connect(('192.0.2.1', 80)))
told('tcp6', lambda: socket.socket(V6, TCP).connect(('2001:db8::1', 80)))
told('asyncio', lambda: asyncio.run(asyncio.open_connection('192.0.2.1', 80)))
told('epoll before connect', lambda: epoll(True))
told('epoll behind connect', lambda: epoll(False))
told('udp', lambda: socket.socket(V4, UDP).sendto(b'x', ('192.0.2.1', 9)))
told('connected udp', lambda: socket.socket(V4, UDP).connect(('192.0.2.1', 9)))
told('dns over udp', lambda: socket.socket(V4, UDP).sendto(b'x', ('192.0.2.1', 53)))
told('dns over tcp', lambda: socket.socket(V4, TCP).connect(('192.0.2.1', 53)))
`;

describe.skipIf(!trialsWork())('a client in Project', () => {
  let tools: Tools;
  let tree: string;
  let outside: Server;
  let port: number;
  const asked: string[] = [];
  /** Requests that left the session. */
  const reached: string[] = [];
  let answer: 'once' | 'no' = 'once';
  let network: SessionNetwork;
  const ask = async ({ program }: { readonly program: string }, items: readonly string[]) => {
    asked.push(`${program} ${items.join()}`);
    return answer;
  };

  beforeAll(async () => {
    tools = await buildTools();
    tree = mkdtempSync(join(tmpdir(), 'aish-clients-'));
    outside = createServer((incoming, reply) => {
      reached.push(`${incoming.method} ${incoming.url}`);
      let body = '';
      incoming.on('data', (text) => {
        body += text;
      });
      incoming.on('end', () => reply.end(`outside ${incoming.method} ${incoming.url} ${body}`.trim()));
    }).listen(0, '127.0.0.2');
    await new Promise((resolve) => outside.once('listening', resolve));
    const address = outside.address();
    port = typeof address === 'object' && address ? address.port : 0;
    writeFileSync(join(tree, 'Get.java'), GET);
    network = new SessionNetwork(tools.launcher, { ask, run: () => undefined, say: () => {} });
  });
  afterAll(() => {
    network.close();
    outside.close();
    tools.dispose();
    rmSync(tree, { recursive: true, force: true });
  });

  async function run(script: string, through = network): Promise<string> {
    const joined = await through.join();
    const launch = { launcher: tools.launcher, argv: ['bash', '-c', script], cwd: tree, project: tree };
    const [file = '', ...args] = projectArgv({ ...launch, network: joined?.holder });
    const env = {
      PATH: process.env.PATH,
      HOME: tree,
      URL: `http://127.0.0.2:${port}/x`,
      PORT: String(port),
      ...joined?.env,
    };
    const { promise, resolve } = Promise.withResolvers<string>();
    const child = execFile(file, args, { env, timeout: 30_000 }, (_, out, err) => resolve(out + err));
    if (child.pid !== undefined) through.began({ pid: child.pid, result: promise as never });
    return promise;
  }

  const node = JSON.stringify(process.execPath);
  const CLIENTS: readonly (readonly [name: string, program: string, script: string, needs?: string])[] = [
    ['curl', 'curl', 'curl -sS "$URL"'],
    ['curl with a body', 'curl', 'curl -sS -d body=1 "$URL"'],
    ['curl through a tunnel', 'curl', 'curl -sS --proxytunnel "$URL"'],
    ['wget', 'wget', 'wget -nv -O - "$URL"'],
    [
      'Python urllib',
      'python3',
      `python3 -c 'import os, urllib.request as u; print(u.urlopen(os.environ["URL"]).read().decode())'`,
    ],
    [
      'Python requests',
      'python3',
      // The copy of the library `requests` inside pip.
      `python3 -c 'import os, pip._vendor.requests as r; print(r.get(os.environ["URL"]).text)'`,
      'pip',
    ],
    ['npm', 'npm', 'npm view x --fetch-retries 0 --registry "$URL"'],
    ['pip', 'pip', 'pip download --retries 0 --trusted-host 127.0.0.2 --index-url "$URL" x'],
    ['git over HTTP', 'git', 'git ls-remote "$URL"'],
    ['Node fetch', 'node', `${node} -e 'fetch(process.env.URL).then((r) => r.text()).then(console.log)'`],
    ['Node http', 'node', `${node} -e 'http.get(process.env.URL, (r) => r.pipe(process.stdout))'`],
  ];

  for (const [name, program, script, needs = program] of CLIENTS)
    it.skipIf(needs !== 'node' && lacks(needs))(
      `${name} works where it is allowed, and fails cleanly where it is not`,
      async () => {
        asked.length = 0;
        reached.length = 0;
        answer = 'once';
        const text = await run(script);
        expect(reached[0], text).toMatch(name === 'curl with a body' ? /^POST \/x$/ : /^GET \/x/);
        // One question, however many connections it makes.
        expect(asked).toHaveLength(1);
        expect(asked[0]).toMatch(
          new RegExp(`^.*${program === 'node' ? '' : program}.* 127\\.0\\.0\\.2:${port} \\(this machine\\)$`),
        );
        reached.length = 0;
        answer = 'no';
        expect(await run(script)).toMatch(/403|does not allow|No matching distribution/);
        // The refusal is remembered for the second run.
        await run(script);
        expect(asked).toHaveLength(2);
        expect(reached).toEqual([]);
        network.grants.setNamed(`127.0.0.2:${port}`, undefined);
      },
    );

  it.skipIf(lacksSshd() || lacks('git'))('git over ssh asks too, and reports a refusal', async () => {
    const host = await startSshd();
    const repository = mkdtempSync(join(tmpdir(), 'aish-remote-'));
    execFileSync('git', ['init', '-q', '--bare', repository]);
    // Project mode has its own /tmp, so files and programs of ssh must be elsewhere.
    const folder = mkdtempSync('/var/tmp/aish ssh%-');
    copyFileSync(tools.launcher, join(folder, 'aish-sandbox'));
    for (const file of [host.identity, join(host.identity, '../known_hosts')])
      copyFileSync(file, join(tree, basename(file)));
    const config = readFileSync(host.config, 'utf8').replaceAll(join(host.identity, '..'), tree);
    writeFileSync(join(tree, 'config'), config);
    const other = new SessionNetwork(join(folder, 'aish-sandbox'), { ask, run: () => undefined, say: () => {} });
    const list = `GIT_SSH_COMMAND="$GIT_SSH_COMMAND -F '${tree}/config'" git ls-remote web1:${repository} && echo listed`;
    asked.length = 0;
    answer = 'once';
    expect(await run(list, other)).toContain('listed');
    expect(asked).toEqual([`ssh 127.0.0.1:${host.port} (this machine)`]);
    answer = 'no';
    const refused = await run(list, other);
    expect(refused).toContain(`the user does not allow a connection to 127.0.0.1:${host.port}`);
    expect(refused).not.toContain('listed');
    other.close();
    await host.stop();
    for (const path of [folder, repository]) rmSync(path, { recursive: true, force: true });
  });

  it('that ignores the proxy finds no network, and the user is asked nothing', async () => {
    asked.length = 0;
    answer = 'once';
    expect(await run(`exec 3<>/dev/tcp/127.0.0.2/$PORT`)).toContain('Connection refused');
    expect(await run(`exec 3<>/dev/tcp/192.0.2.1/80`)).toContain('Network is unreachable');
    const packet = `require('dgram').createSocket('udp4').send('x', 53, '192.0.2.1', (error) => { console.log(error.code); process.exit(); })`;
    expect(await run(`${node} -e "${packet}"`)).toContain('ENETUNREACH');
    expect(asked).toEqual([]);
  });

  it.skipIf(lacks('javac'))('in Java finds the proxy by its options, except for addresses of 127.0.0.0/8', async () => {
    asked.length = 0;
    answer = 'no';
    expect(await run('java Get.java')).toContain('ConnectException');
    expect(asked).toEqual([]);
    expect(await run('URL=http://a.example/ java Get.java')).toContain('403 aish-tui: the user does not allow');
    expect(asked).toEqual(['java a.example:80']);
  });

  it.skipIf(lacks('go'))('in Go uses the proxy, except for addresses of 127.0.0.0/8', async () => {
    writeFileSync(join(tree, 'get.go'), GO);
    expect(await run('CGO_ENABLED=0 go build -o get get.go')).toBe('');
    asked.length = 0;
    answer = 'no';
    expect(await run('./get')).toContain('connection refused');
    expect(asked).toEqual([]);
    expect(await run('URL=http://b.example/ ./get')).toContain('403 aish-tui: the user does not allow');
    expect(asked).toEqual(['get b.example:80']);
  });

  it.skipIf(lacks('python3'))(
    'with any kind of socket fails at once, however it waits for the connection',
    async () => {
      writeFileSync(join(tree, 'sockets.py'), SOCKETS);
      const began = performance.now();
      expect((await run('python3 sockets.py')).trim().split('\n')).toEqual([
        'tcp ENETUNREACH',
        'tcp6 ENETUNREACH',
        'asyncio ENETUNREACH',
        'epoll before connect ENETUNREACH',
        'epoll behind connect ENETUNREACH',
        'udp ENETUNREACH',
        'connected udp ENETUNREACH',
        'dns over udp ENETUNREACH',
        'dns over tcp ENETUNREACH',
      ]);
      expect(performance.now() - began).toBeLessThan(20_000);
    },
  );

  it.skipIf(lacks('curl'))(
    'is not connected to a name that resolves to this machine, whatever was allowed for the name',
    async () => {
      answer = 'once';
      const text = await run(`curl -sS --noproxy '' http://localhost:$PORT/`);
      expect(text).toMatch(/localhost:\d+ leads to \S+ \(this machine\), which only its address can allow/);
    },
  );
});
