/** What clients in Project mode get of the network: all of it where it is allowed, and a clean end where it is not. */
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

describe.skipIf(!trialsWork())('from Project', () => {
  let tools: Tools;
  let tree: string;
  let outside: Server;
  let port: number;
  const asked: string[] = [];
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
      let body = '';
      incoming.on('data', (text) => {
        body += text;
      });
      incoming.on('end', () => reply.end(`outside ${incoming.method} ${incoming.url} ${body}`.trim()));
    }).listen(0, '127.0.0.2');
    await new Promise((resolve) => outside.once('listening', resolve));
    const address = outside.address();
    port = typeof address === 'object' && address ? address.port : 0;
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
    return new Promise((resolve) => {
      execFile(file, args, { env, timeout: 30_000 }, (_, out, err) => resolve(out + err));
    });
  }

  const node = JSON.stringify(process.execPath);
  const CLIENTS: readonly (readonly [name: string, program: string, script: string])[] = [
    ['curl', 'curl', 'curl -sS "$URL"'],
    ['curl with a body', 'curl', 'curl -sS -d body=1 "$URL"'],
    ['curl through a tunnel', 'curl', 'curl -sS --proxytunnel "$URL"'],
    ['wget', 'wget', 'wget -nv -O - "$URL"'],
    [
      'Python urllib',
      'python3',
      `python3 -c 'import os, urllib.request as u; print(u.urlopen(os.environ["URL"]).read().decode())'`,
    ],
    ['Node fetch', 'node', `${node} -e 'fetch(process.env.URL).then((r) => r.text()).then(console.log)'`],
    ['Node http', 'node', `${node} -e 'http.get(process.env.URL, (r) => r.pipe(process.stdout))'`],
  ];

  for (const [name, program, script] of CLIENTS)
    it.skipIf(program !== 'node' && lacks(program))(
      `${name} works where it is allowed, and ends cleanly where it is not`,
      async () => {
        asked.length = 0;
        answer = 'once';
        expect(await run(script)).toContain(name === 'curl with a body' ? 'outside POST /x body=1' : 'outside GET /x');
        expect(asked).toHaveLength(1);
        expect(asked[0]).toMatch(
          new RegExp(`^\\S*${program === 'node' ? '' : program}\\S* 127\\.0\\.0\\.2:${port} \\(this machine\\)$`),
        );
        answer = 'no';
        const refused = await run(script);
        expect(refused).not.toContain('outside GET');
        expect(refused).toMatch(/403|does not allow/);
        // A no is remembered.
        await run(script);
        expect(asked).toHaveLength(2);
        network.grants.setNamed(`127.0.0.2:${port}`, undefined);
      },
    );

  it.skipIf(lacksSshd() || lacks('git'))('git over ssh asks too, and is told where it may not connect', async () => {
    const host = await startSshd();
    const repository = mkdtempSync(join(tmpdir(), 'aish-remote-'));
    execFileSync('git', ['init', '-q', '--bare', repository]);
    // Project mode has a /tmp of its own: what ssh reads and starts must be elsewhere.
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

  it('what does not look for the proxy finds no network, and asks nothing', async () => {
    asked.length = 0;
    answer = 'once';
    expect(await run(`exec 3<>/dev/tcp/127.0.0.2/$PORT`)).toContain('Connection refused');
    expect(await run(`exec 3<>/dev/tcp/192.0.2.1/80`)).toContain('Network is unreachable');
    const packet = `require('dgram').createSocket('udp4').send('x', 53, '192.0.2.1', (error) => { console.log(error.code); process.exit(); })`;
    expect(await run(`${node} -e "${packet}"`)).toContain('ENETUNREACH');
    expect(asked).toEqual([]);
  });

  it.skipIf(lacks('curl'))(
    'a name that leads to this machine is not connected to, whatever was said of the name',
    async () => {
      answer = 'once';
      const text = await run(`curl -sS --noproxy '' http://localhost:$PORT/`);
      expect(text).toMatch(/localhost:\d+ leads to \S+ \(this machine\), which only its address can allow/);
    },
  );
});
