import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agent, delegates, parent } from '../support/agent-script.ts';
import { lacks } from '../support/lacks.ts';
import { jsonLines } from '../support/lines.ts';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { openRig, type Rig, startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const QUIET = { safety: { llm_second_opinion: false }, norris: { max_norris_steps: 20 } };

/** Returns every name below a directory with kind, mode and content. Equal texts mean equal trees. */
function snapshot(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(directory, name);
      const stats = lstatSync(path);
      const content = stats.isFile() ? readFileSync(path) : stats.isSymbolicLink() ? readlinkSync(path) : '';
      return `${name} ${stats.mode.toString(8)} ${createHash('sha256').update(content).digest('hex')}`;
    })
    .join('\n');
}

/** A small repository with one commit. */
function repository({ work, env }: Scratch): void {
  mkdirSync(join(work, 'src'));
  writeFileSync(join(work, 'src', 'main.c'), 'int main(void) { return 0; }\n');
  writeFileSync(join(work, 'src', 'old.c'), 'int old;\n');
  writeFileSync(join(work, 'notes.txt'), 'mine\n');
  const git = (...args: readonly string[]) => execFileSync('git', [...args], { cwd: work, env });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=me', '-c', 'user.email=me@example.com', 'commit', '-qm', 'first');
}

/** Sixteen steps of ordinary work. */
const STEPS = [
  'ls -la',
  'mkdir -p build gen',
  'printf "int gen;\\n" > gen/gen.c',
  'sed -i "s/return 0/return 3/" src/main.c',
  'cc -o build/app src/main.c gen/gen.c',
  './build/app; echo "it says $?"',
  'echo overwritten > notes.txt',
  'cp src/main.c src/copy.c',
  'mv src/old.c src/older.c',
  'chmod 755 src/copy.c',
  'echo one > scratch.txt && echo two > scratch.txt',
  'rm scratch.txt',
  'rm -rf gen',
  'git add -A',
  'git -c user.name=a -c user.email=a@example.com commit -qm "by the model"',
  'git log --oneline',
];

const told = (server: Awaited<ReturnType<typeof startScriptedServer>>) =>
  (server.requests.at(-1)?.messages ?? []).map(({ content }) => String(content)).join('\n');

async function answer(rig: Rig, seen: string | RegExp, key: string): Promise<void> {
  await rig.waitFor(seen);
  await rig.waitFor(/all shown|Enter: /);
  rig.type(key);
}

describe.skipIf(lacks('cc') || lacks('git'))('Project mode', { timeout: 60_000 }, () => {
  it('asks nothing in a run of sixteen steps that edits, builds, overwrites, removes its own files and commits', async () => {
    const steps = STEPS.map((command) => call('bash', { command }));
    await using server = await startScriptedServer([...steps, say('GOAL: complete')]);
    using place = scratch(server.baseUrl, { ...QUIET, mode: 'project' });
    repository(place);
    const before = snapshot(place.work);
    await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
    rig.type(':norris work\r');
    await rig.waitFor('✓ done');
    expect(rig.text()).toMatch(/17 of 20 steps · 16 commands · /);
    expect(told(server)).toContain('it says 3');
    expect(told(server)).not.toMatch(/denied|Read-only|not permitted/);
    expect(readFileSync(join(place.work, 'notes.txt'), 'utf8')).toBe('overwritten\n');
    rig.type(':undo run yes\r');
    await rig.waitFor(/undone: 1 · /);
    expect(snapshot(place.work)).toBe(before);
  });

  it('lets the next command reach the server of a job', async () => {
    const served = `require('node:http').createServer((_, answer) => answer.end('served')).listen(8123)`;
    await using server = await startScriptedServer([
      say(`CMD&: node -e "${served}"`),
      call('bash', { command: 'for i in $(seq 50); do curl -s localhost:8123 && break; sleep 0.1; done; echo " end"' }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, { ...QUIET, mode: 'project' });
    await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
    rig.type(':norris serve and check\r');
    await rig.waitFor('✓ done');
    expect(told(server)).toContain('served end');
  });

  it.skipIf(lacks('curl'))(
    'runs a dev server as a job, whose page is edited and fetched ten times, and ends it',
    async () => {
      const serve = `require('node:http').createServer((_, answer) => answer.end(require('node:fs').readFileSync('page'))).listen(8124)`;
      const edits = Array.from({ length: 10 }, (_, at) => [
        call('bash', {
          command: at % 2 === 0 ? `echo version ${at} > page` : `sed -i 's/version.*/version ${at}/' page`,
        }),
        call('bash', { command: 'curl -s --retry 9 --retry-all-errors --retry-delay 1 localhost:8124' }),
      ]);
      await using server = await startScriptedServer([
        say(`CMD&: node -e "${serve}"`),
        ...edits.flat(),
        call('jobs', { id: 1, stop: true }),
        call('bash', { command: 'sleep 1; git add -A; git -c user.name=a -c user.email=a@example.com commit -qm x' }),
        call('bash', { command: 'echo last > page' }),
        say('GOAL: complete'),
      ]);
      const settings = { mode: 'project', norris: { max_norris_steps: 40 }, context: { summarize: false } };
      using place = scratch(server.baseUrl, { ...QUIET, ...settings });
      repository(place);
      writeFileSync(join(place.work, 'page'), 'mine\n');
      await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
      rig.type(':norris serve and edit\r');
      await rig.waitFor(/127\.0\.0\.1:\d+ is served from the session/);
      const [, served = ''] = /127\.0\.0\.1:(\d+) is served/.exec(rig.text()) ?? [];
      expect(await fetch(`http://127.0.0.1:${served}/`).then((reply) => reply.text())).toMatch(/^(mine|version)/);
      await rig.waitFor('✓ done');
      await expect(fetch(`http://127.0.0.1:${served}/`)).rejects.toThrow();
      const all = server.requests.flatMap(({ messages }) => messages.map(({ content }) => String(content))).join('\n');
      for (let at = 0; at < 10; at += 1) expect(all).toContain(`version ${at}\n[exit 0`);
      expect(readFileSync(join(place.work, 'page'), 'utf8')).toBe('last\n');
      rig.type(':undo list\r');
      await rig.waitFor(/echo last > page/);
      expect(rig.text()).not.toMatch(/incomplete|not kept|✗/);
    },
  );

  it.skipIf(lacks('python3')).each([
    ['yes', 'u', 'is undone first and runs once'],
    ['no', 's', 'stays and does not run again'],
  ])('when a command made a change before it needed the network, after a %s (%s) that change %s', async (_, key) => {
    const connect = "import socket; socket.create_connection(('198.51.100.7', 9), 1)";
    const command = `echo more >> notes.txt; git -c user.name=a -c user.email=a@example.com commit -qam x; echo lines $(wc -l < notes.txt); python3 -c "${connect}"`;
    await using server = await startScriptedServer([call('bash', { command }), say('GOAL: complete')]);
    using place = scratch(server.baseUrl, { ...QUIET, mode: 'project' });
    repository(place);
    await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
    rig.type(':norris append\r');
    await rig.waitFor(/Project mode blocked the network; a yes takes back what the/);
    await answer(rig, 'CHANGE MODE?', key);
    await rig.waitFor('✓ done');
    const git = (...args: readonly string[]) =>
      execFileSync('git', [...args], { cwd: place.work, env: place.env }).toString();
    expect(readFileSync(join(place.work, 'notes.txt'), 'utf8')).toBe('mine\nmore\n');
    expect(git('log', '--format=%s')).toBe('x\nfirst\n');
    expect(git('status', '--porcelain')).toBe('');
    // The second attempt found the file of the first.
    expect(told(server).match(/^lines 2$/gm)).toHaveLength(key === 'u' ? 2 : 1);
    expect(told(server)).not.toContain('lines 3');
  });

  it('tells a command when its end also ends its background processes', async () => {
    await using server = await startScriptedServer([
      call('bash', { command: 'sleep 60 & echo started' }),
      call('bash', { command: 'nohup sleep 60 > /dev/null 2>&1 & sleep 60 & echo two' }),
      call('bash', { command: 'sleep 0.1 & wait; echo none' }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, { ...QUIET, mode: 'project' });
    await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
    rig.type(':norris start\r');
    await rig.waitFor('✓ done');
    expect(told(server)).toMatch(
      /started\n\[exit 0, its background process was ended with it; a job \(CMD&: .*\) stays/,
    );
    expect(told(server)).toMatch(/two\n\[exit 0, its 2 background processes were ended with it/);
    expect(told(server)).toMatch(/none\n\[exit 0\]/);
  });

  it.skipIf(lacks('curl'))('asks about a connection once per run, and :net allows, lists and revokes it', async () => {
    const outside = createServer((_, reply) => reply.end('from outside')).listen(0, '127.0.0.2');
    await new Promise((resolve) => outside.once('listening', resolve));
    const address = outside.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const fetch = call('bash', { command: `curl -sS http://127.0.0.2:${port}/; echo " end $((40 + 2))"` });
    await using server = await startScriptedServer([fetch, fetch, say('GOAL: complete'), fetch, say('GOAL: complete')]);
    using place = scratch(server.baseUrl, { ...QUIET, mode: 'project' });
    await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
    rig.type(':norris fetch\r');
    await rig.waitFor(`127.0.0.2:${port} (this machine)`);
    expect(rig.text()).toMatch(/CONNECT\?[\s\S]*Program: curl/);
    await answer(rig, /P {2}run/, 'P');
    await rig.waitFor('✓ done');
    expect(told(server).match(/from outside end 42/g)).toHaveLength(2);
    rig.type(':net\r');
    await rig.waitFor('nothing is allowed yet');
    rig.type(`:net 127.0.0.2:${port}\r:net\r`);
    await rig.waitFor(`allowed  127.0.0.2:${port}`);
    rig.type(`:net -127.0.0.2:${port}\r`);
    await rig.waitFor('is asked about again');
    rig.type(':norris again\r');
    await answer(rig, 'CONNECT?', 's');
    await rig.waitFor(/✓ done[\s\S]*✓ done/);
    expect(told(server)).toContain('does not allow a connection');
    expect(rig.text()).toContain('refused for this run');
    outside.close();
  });

  it.skipIf(lacks('curl'))(
    'shares the network permits of a run with its sub-agents and later commands, and drops a job’s permits when the job ends',
    async () => {
      const outside = createServer((_, reply) => reply.end('from outside')).listen(0, '127.0.0.2');
      await new Promise((resolve) => outside.once('listening', resolve));
      const address = outside.address();
      const host = `127.0.0.2:${typeof address === 'object' && address ? address.port : 0}`;
      const get = `curl -sS http://${host}/; echo " end $((40 + 2))"`;
      await using server = await startScriptedServer([
        parent(call('bash', { command: get })),
        parent(delegates('fetch it')),
        agent('fetch', call('bash', { command: get })),
        agent('fetch', say('Fetched.\nGOAL: complete')),
        parent(say('GOAL: complete')),
        parent(
          say(
            `CMD&: until [ -e go ]; do sleep 0.1; done; curl -sS http://${host}/; until [ -e end ]; do sleep 0.1; done`,
          ),
        ),
        parent(say('GOAL: complete')),
      ]);
      using place = scratch(server.baseUrl, { ...QUIET, mode: 'project', auto_approve: ['delegate'] });
      await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
      rig.type(':norris fetch\r');
      await answer(rig, 'CONNECT?', 'P');
      await rig.waitFor('✓ done');
      const texts = server.requests.flatMap(({ messages }) => messages.map(({ content }) => String(content)));
      expect(texts.filter((text) => text.includes('from outside end 42')).length).toBeGreaterThan(1);
      rig.type(`:net -${host}\r`);
      await rig.waitFor('is asked about again');
      rig.type(':norris a job\r');
      await rig.waitFor(/✓ done[\s\S]*✓ done/);
      writeFileSync(join(place.work, 'go'), '');
      await answer(rig, /Program: curl \(job 1\)/, 'P');
      await rig.waitFor('allowed until job 1 ends');
      rig.type(':net\r');
      await rig.waitFor(`allowed  ${host}`);
      writeFileSync(join(place.work, 'end'), '');
      await rig.waitFor(/job 1.*(ended|done|exit)/);
      rig.type(':clear\r:net\r');
      await rig.waitFor('nothing is allowed yet');
      outside.close();
    },
  );

  it.skipIf(lacks('curl'))('runs a command again once when the yes comes after its program gave up', async () => {
    const outside = createServer((_, reply) => reply.end('from outside')).listen(0, '127.0.0.2');
    await new Promise((resolve) => outside.once('listening', resolve));
    const address = outside.address();
    const host = `127.0.0.2:${typeof address === 'object' && address ? address.port : 0}`;
    await using server = await startScriptedServer([
      call('bash', { command: `echo more >> notes.txt; curl -sS -m 1 http://${host}/` }),
      call('bash', { command: `curl -sS http://${host}/; echo end` }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, { ...QUIET, mode: 'project', wait_seconds: 2 });
    repository(place);
    await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
    rig.type(':norris fetch\r');
    await rig.waitFor('CONNECT?');
    await rig.waitFor(/gave up waiting for you\. A yes undoes its changes/);
    await answer(rig, 'gave up waiting', 'p');
    // The yes covered the command that ran again. The next command asks, and its time limit pauses during the question.
    await rig.waitFor(/Program: curl/);
    await rig.waitFor(/waits for you [3-9] s/);
    await answer(rig, 'Data it sends there', 'P');
    await rig.waitFor('✓ done');
    expect(readFileSync(join(place.work, 'notes.txt'), 'utf8')).toBe('mine\nmore\n');
    expect(told(server)).toContain('from outside');
    expect(told(server)).toContain('from outsideend');
    expect(told(server)).not.toContain('runs on as job');
    expect(told(server)).toContain('was not answered: curl has ended');
    expect(told(server)).toContain('allowed for this run');
    rig.type(':net\r');
    await rig.waitFor('nothing is allowed yet');
    outside.close();
  });

  it.skipIf(lacks('curl'))('refuses a connection at once without a screen, unless --net allows it', async () => {
    const outside = createServer((_, reply) => reply.end('from outside')).listen(0, '127.0.0.2');
    await new Promise((resolve) => outside.once('listening', resolve));
    const address = outside.address();
    const host = `127.0.0.2:${typeof address === 'object' && address ? address.port : 0}`;
    const fetch = call('bash', { command: `curl -sS http://${host}/` });
    const done = say('GOAL: complete');
    await using server = await startScriptedServer([fetch, done, fetch, done, fetch, done]);
    using place = scratch(server.baseUrl, { ...QUIET, mode: 'project' });
    const without = await runProgram(place, ['run', 'fetch']);
    expect(without.err).toContain(`not connected: curl to ${host} (this machine) (--net allows it)`);
    expect(told(server)).toContain('does not allow a connection');
    const allowed = await runProgram(place, ['run', '--net', host, 'fetch']);
    expect(allowed.err).not.toContain('not connected');
    expect(told(server)).toContain('from outside');
    expect(allowed.code).toBe(0);
    using other = scratch(server.baseUrl, { ...QUIET, mode: 'project', projects: { '/': { net: [host] } } });
    const configured = await runProgram(other, ['run', 'fetch']);
    expect([configured.code, configured.err.includes('not connected')]).toEqual([0, false]);
    expect((await runProgram(place, ['run', '--net', 'a/b', 'fetch'])).code).toBe(2);
    outside.close();
  });

  it.skipIf(lacks('python3'))(
    'asks nothing about twenty commands whose text only looks like paths outside the project',
    async () => {
      const harmless = [
        'ls -la /opt/ /etc/hostname',
        `sed -i 's|/app/logs|/var/log|g' src/main.c`,
        `sed -n '/^int/,/}/p' src/main.c`,
        `sed 's/,/\\//g' notes.txt > /tmp/notes.csv`,
        `cat > app.py <<'EOF'\n@app.route('/etc/passwd')\ndef index(): return open('/srv/x').read()\nEOF`,
        `python3 -c 'import urllib.parse; print(urllib.parse.quote("/a/b"))'`,
        `python3 -c "import http.client, socket; print(socket.AF_INET)"`,
        `grep -rn 'http://server:8000' src || echo none`,
        `sed -i 's|http://server:8000|http://server:8001|g' notes.txt`,
        'git -C ../other status; true',
        'git -C . log --oneline',
        'find / -maxdepth 1 -name usr',
        'which python3 && ls /usr/bin/ | grep -c python',
        'mkdir -p /tmp/passing/a && touch /tmp/passing/a/b && rm -r /tmp/passing',
        'echo "https://example.com/x?y=/z" > urls.txt',
        `printf '%s\\n' /usr/local/bin | tee paths.txt`,
        'tar czf /tmp/src.tgz src && tar tzf /tmp/src.tgz',
        `awk -F/ '{print $NF}' paths.txt; readlink -f /usr/bin/../lib`,
        // The next command keeps this directory.
        'cd /usr && ls 2>&1 | head -3',
        'cd /etc; cat hostname',
      ];
      expect(harmless).toHaveLength(20);
      const steps = harmless.map((command) => call('bash', { command }));
      await using server = await startScriptedServer([...steps, say('GOAL: complete')]);
      const settings = { mode: 'project', norris: { max_norris_steps: 40 }, context: { summarize: false } };
      using place = scratch(server.baseUrl, settings);
      repository(place);
      const { code, out, err } = await runProgram(place, ['run', '--json', 'look around']);
      expect(code, err).toBe(0);
      expect(jsonLines(out).filter(({ kind }) => kind === 'question')).toEqual([]);
      expect(out).not.toContain('nobody is there');
      expect(server.requests).toHaveLength(21);
      expect(told(server)).not.toMatch(/^\[exit [1-9]/m);
    },
  );

  it('lets no script overwrite keys of which no copy is kept, but lets a command that names them do so after a yes', async () => {
    await using server = await startScriptedServer([
      call('bash', { command: 'sh reset.sh' }),
      call('bash', { command: 'echo KEY=new > .env' }),
      call('bash', { command: 'echo KEY=last > .env' }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, { ...QUIET, mode: 'project' });
    writeFileSync(join(place.work, '.env'), 'KEY=old\n');
    writeFileSync(join(place.work, 'reset.sh'), 'name=env; echo KEY=lost > ".$name"; exit 0\n');
    await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
    rig.type(':norris set the key\r');
    await answer(rig, /HALT[\s\S]*KEY=new/, 's');
    expect(readFileSync(join(place.work, '.env'), 'utf8')).toBe('KEY=old\n');
    await rig.waitFor(/KEY=last/);
    expect(told(server)).toContain('not changed: .env (no copy of keys and passwords is kept');
    expect(rig.text()).toContain('not changed, since no copy of keys and passwords is kept');
    await answer(rig, /HALT[\s\S]*KEY=last/, 'p');
    await rig.waitFor('✓ done');
    expect(readFileSync(join(place.work, '.env'), 'utf8')).toBe('KEY=last\n');
    await rig.waitFor('and not kept (undo.credentials keeps them)');
  });

  it('halts `rm -rf src`, then tries it, shows its diff, discards, tries again, applies and undoes it', async () => {
    await using server = await startScriptedServer([
      call('bash', { command: 'rm -rf src' }),
      call('bash', { command: 'rm -rf src' }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, { ...QUIET, mode: 'project' });
    repository(place);
    const before = snapshot(place.work);
    await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
    rig.type(':norris clean up\r');
    await answer(rig, 'undoable', 't');
    await rig.waitFor('nothing has changed yet');
    expect(snapshot(place.work)).toBe(before);
    expect(rig.text()).toMatch(/deletes .*src/);
    expect(rig.text()).toContain('− int old;');
    await rig.waitFor(/all shown|Enter: /);
    rig.type('d');
    await rig.waitFor('d: back to the list');
    rig.type('d');
    await answer(rig, /deletes .*src/, 's');
    await rig.waitFor(/step 2 of 20|2\/20/);
    await answer(rig, 'undoable', 't');
    await answer(rig, 'nothing has changed yet', 'T');
    await rig.waitFor('✓ done');
    expect(readdirSync(place.work)).not.toContain('src');
    expect(told(server)).toContain('[aish] action tried, then discarded by user');
    expect(told(server)).toContain('[aish] action tried, then applied by user');
    await rig.waitFor(/1 file deleted\n.* src +.*deleted[\s\S]*:undo run/);
    expect(rig.text().match(/:undo run takes it back/g)).toHaveLength(1);
    // A key shows what was undone.
    await rig.waitFor('[aish:fast]> :undo run');
    rig.key('right');
    rig.key('enter');
    await rig.waitFor(
      /restores +\S*src\/[\s\S]*Press Enter \(:undo run yes\) to undo this\s+\[aish:fast\]> :undo run yes/,
    );
    rig.key('enter');
    await rig.waitFor(/undone: \d+ · /);
    expect(snapshot(place.work)).toBe(before);
  });

  it('asks before a server of the user’s configuration starts from files that a model changed', async () => {
    const append = 'for f in mcp.sh notes.txt; do echo "# more" >> $f; done';
    await using server = await startScriptedServer([
      call('bash', { command: append }),
      call('bash', { command: 'cat mcp.sh' }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, {
      ...QUIET,
      mode: 'project',
      mcp: { servers: { own: { command: './mcp.sh', args: ['.'] } } },
    });
    repository(place);
    writeFileSync(join(place.work, 'mcp.sh'), '#!/bin/sh\nexec sleep 5\n', { mode: 0o755 });
    await using rig = startRig(place, { rows: 40 });
    await rig.waitFor('-- PROJECT --');
    rig.type(':norris go\r');
    await rig.waitFor('✓ done');
    expect(readFileSync(join(place.work, 'mcp.sh'), 'utf8')).toContain('# more');
    rig.type(':mcp restart own\r');
    await rig.waitFor(/START\?\W+a model changed these files/);
    expect(rig.text()).toContain('To start: the MCP server own');
    expect(rig.text()).toContain('mcp.sh');
    await answer(rig, 'a model changed these files', 's');
    await rig.waitFor('not started');
  });

  it('sets aside files that other programs would run later, and the next step waits for the user’s decision', async () => {
    const write = 'mkdir .vscode && echo "{}" > .vscode/tasks.json && echo "make evil" > .envrc && echo x > made.txt';
    await using server = await startScriptedServer([
      call('bash', { command: write }),
      call('bash', { command: 'ls -A' }),
      call('bash', { command: write.replace('mkdir', 'mkdir -p') }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, { ...QUIET, mode: 'project' });
    repository(place);
    await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
    rig.type(':norris set it up\r');
    await rig.waitFor(/SET ASIDE\W+a later program would run this/);
    expect(server.requests).toHaveLength(1);
    expect(readdirSync(place.work).sort()).toEqual(['.git', 'made.txt', 'notes.txt', 'src']);
    expect(rig.text()).toContain('.envrc is run by shells and editors');
    expect(rig.text()).toContain('+make evil');
    await answer(rig, 'later program would run this', 's');
    await rig.waitFor(/step 3 of 20|3\/20/);
    expect(told(server)).toContain('[aish] set aside, and not in the project: .envrc is run by shells and editors');
    expect(told(server)).not.toMatch(/^\.envrc$/m);
    await answer(rig, 'later program would run this', 'p');
    await rig.waitFor('✓ done');
    expect(told(server)).toContain('[aish] the user accepted: .envrc is run by shells and editors; .vscode is run');
    expect(readFileSync(join(place.work, '.envrc'), 'utf8')).toBe('make evil\n');
    expect(readFileSync(join(place.work, '.vscode', 'tasks.json'), 'utf8')).toBe('{}\n');
  });

  it.skipIf(lacks('make'))(
    'does not ask for `rm -rf build` after `make`, but does once build contains a file of the user',
    async () => {
      await using server = await startScriptedServer([
        call('bash', {
          command:
            'printf "all:\\n\\tmkdir -p build/deep && for i in 1 2 3; do echo x > build/deep/\\$\\$i; done\\n" > Makefile && make',
        }),
        call('bash', { command: 'rm -rf build && ls' }),
        call('bash', { command: 'make && ls build/deep' }),
        say('GOAL: complete'),
        call('bash', { command: 'rm -rf build' }),
        say('GOAL: complete'),
      ]);
      using place = scratch(server.baseUrl, { ...QUIET, mode: 'project' });
      repository(place);
      await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
      rig.type(':norris build\r');
      await rig.waitFor('✓ done');
      expect(readdirSync(join(place.work, 'build', 'deep'))).toHaveLength(3);
      writeFileSync(join(place.work, 'build', 'deep', 'mine'), 'mine\n');
      rig.type(':norris clean\r');
      await answer(rig, 'undoable', 's');
      await rig.waitFor(/[✓!] (done|stalled)/);
      expect(readdirSync(join(place.work, 'build', 'deep'))).toHaveLength(4);
    },
  );

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'asks again when resumed after %s at an open question, and still knows the session’s own files',
    async (signal) => {
      await using server = await startScriptedServer([
        call('bash', { command: 'mkdir out && echo made > out/a && echo "make evil" > .envrc' }),
        call('bash', { command: 'rm -rf out' }),
        say('GOAL: complete'),
      ]);
      using place = scratch(server.baseUrl, { ...QUIET, mode: 'project' });
      repository(place);
      {
        await using rig = startRig(place, { rows: 40 });
        await rig.waitFor('-- PROJECT --');
        rig.type(':norris set it up\r');
        await rig.waitFor(/SET ASIDE\W+a later program would run this/);
        rig.kill(signal);
        await rig.exited;
      }
      await using rig = startRig(place, { rows: 40, args: ['--resume'] });
      await rig.waitFor('.envrc is run by shells and editors');
      expect(existsSync(join(place.work, '.envrc'))).toBe(false);
      await answer(rig, 'later program would run this', 'p');
      await rig.waitFor('the user accepted: .envrc');
      expect(readFileSync(join(place.work, '.envrc'), 'utf8')).toBe('make evil\n');
      rig.type(':norris clean up\r');
      await rig.waitFor('✓ done');
      expect(existsSync(join(place.work, 'out'))).toBe(false);
      expect(told(server)).toContain('[aish] the user accepted: .envrc');
    },
  );

  it('opens the mode dialog at the first write that Restricted blocks, Project first, and not again after a no', async () => {
    const write = call('bash', { command: 'echo made > made.txt' });
    await using server = await startScriptedServer([write, write, say('GOAL: complete')]);
    using place = scratch(server.baseUrl, QUIET);
    repository(place);
    await using rig = await openRig(place, '-- RESTRICTED --', { rows: 40 });
    rig.type(':norris write\r');
    await rig.waitFor('leave Restricted');
    expect(server.requests).toHaveLength(1);
    expect(rig.text()).toMatch(/y project: .*[\s\S]*u unrestricted: /);
    await answer(rig, 'Restricted mode blocked a write', 'n');
    await rig.waitFor(/[✓!] (done|stalled)/);
    expect(rig.text()).toContain('-- RESTRICTED --');
    expect(existsSync(join(place.work, 'made.txt'))).toBe(false);
  });

  it('performs the blocked write after a yes to Project, inside the tree only', async () => {
    const write = call('bash', { command: 'echo made > made.txt' });
    await using server = await startScriptedServer([write, write, say('GOAL: complete')]);
    using place = scratch(server.baseUrl, QUIET);
    repository(place);
    await using rig = await openRig(place, '-- RESTRICTED --', { rows: 40 });
    rig.type(':norris write\r');
    await answer(rig, 'leave Restricted', 'y');
    await rig.waitFor('✓ done');
    await rig.waitFor('-- PROJECT --');
    expect(told(server)).toContain('[aish] mode: Project.');
    expect(readFileSync(join(place.work, 'made.txt'), 'utf8')).toBe('made\n');
  });

  it.each([
    ['git remote add origin https://example.com/x.git', /could not write config file/],
    ['git push -q REMOTE HEAD', /unable to create temporary object directory/],
  ])('blocks %s by the kernel, and then asks about the mode', async (line, refusal) => {
    // Project mode has a /tmp of its own.
    const remote = mkdtempSync('/var/tmp/aish-remote-');
    using _ = { [Symbol.dispose]: () => rmSync(remote, { recursive: true }) };
    const command = line.replace('REMOTE', remote);
    await using server = await startScriptedServer([call('bash', { command }), say('GOAL: blocked\nrefused')]);
    using place = scratch(server.baseUrl, { ...QUIET, mode: 'project' });
    repository(place);
    execFileSync('git', ['init', '-q', '--bare', remote]);
    await using rig = await openRig(place, '-- PROJECT --', { rows: 40 });
    rig.type(':norris set the remote\r');
    await rig.waitFor('leave Project');
    expect(rig.text()).toContain('u unrestricted: write anywhere');
    await answer(rig, 'Project mode blocked a write', 'n');
    await rig.waitFor('! blocked');
    expect(told(server)).toMatch(refusal);
    expect(readFileSync(join(place.work, '.git', 'config'), 'utf8')).not.toContain('example.com');
  });

  it('switches to Restricted by Alt-M at once, and is the first choice in the dialog of Restricted', async () => {
    await using server = await startScriptedServer([
      call('request_mode_upgrade', { reason: 'to write made.txt' }),
      call('bash', { command: 'echo made > made.txt' }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, { ...QUIET, projects: {} });
    repository(place);
    await using rig = await openRig(place, '-- PROJECT --', { rows: 40, args: ['--mode', 'project'] });
    rig.type('\x1bm');
    await rig.waitFor('-- RESTRICTED --');
    rig.type(':norris write\r');
    await answer(rig, 'leave Restricted', 'y');
    await rig.waitFor('✓ done');
    await rig.waitFor('-- PROJECT --');
    expect(readFileSync(join(place.work, 'made.txt'), 'utf8')).toBe('made\n');
  });

  it('prints a trial and stops the run when no person can answer, applying nothing', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'rm -rf src' }), say('GOAL: complete')]);
    using place = scratch(server.baseUrl, QUIET);
    repository(place);
    const before = snapshot(place.work);
    const args = ['--mode', 'project', 'run', '--json', '--on-halt', 'try', 'clean up'];
    const { code, out } = await runProgram(place, args);
    expect(code).toBe(4);
    const shown = jsonLines(out).find(({ kind }) => kind === 'trial');
    const deleted = expect.objectContaining({ kind: 'deleted', path: `${place.work}/src` });
    expect(shown).toMatchObject({ trial: { kind: 'changes', exit: 0, rows: expect.arrayContaining([deleted]) } });
    expect(snapshot(place.work)).toBe(before);
  });
});
