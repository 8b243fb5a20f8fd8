/** Logging in to a server over HTTP: what the user gets, and what is refused before anything is sent. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoginServer, type Oddity, startLoginServer } from './login-server.ts';
import { type Desk, startMcp } from './support.ts';

const start = ({ url }: LoginServer, change: Parameters<typeof startMcp>[1] = {}) =>
  startMcp(() => ({ web: { url } }), { restartDelayMs: 60_000, ...change });

/** Returns the one server of a desk. */
function only({ mcp }: Desk) {
  const [server] = mcp.servers;
  if (!server) throw new Error('there is none');
  return server;
}

/** The user’s browser, which follows each address. */
const browse = (address: string) => void fetch(address).catch(() => {});

describe('a server that needs a login', () => {
  it('is reported once and waits, and has its tools after the login', async () => {
    await using server = await startLoginServer();
    await using desk = await start(server);
    expect(desk.said).toEqual(['mcp: web wants a login: :mcp login web']);
    expect(only(desk).state).toBe('login');
    expect((await desk.call('web__look')).failed).toBe(true);
    // No login has started automatically.
    expect(server.seen.filter((line) => !line.endsWith(' /mcp'))).toEqual([]);
    const shown: string[] = [];
    const problem = await only(desk).login((address, host) => {
      shown.push(host);
      browse(address);
    });
    expect([problem, shown]).toEqual([undefined, [new URL(server.url).host]]);
    expect((await desk.call('web__look')).text).toBe('seen');
    expect(server.exchanges[0]?.get('code_verifier')).toMatch(/^[\w.~-]{43,}$/);
    expect(server.exchanges[0]?.get('resource')).toBe(server.url);
  });

  it('has its tokens stored in a private file, for the next start', async () => {
    await using server = await startLoginServer();
    await using desk = await start(server);
    await only(desk).login(browse);
    const folder = join(desk.dir, 'logins');
    const [name = ''] = readdirSync(folder);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(JSON.parse(readFileSync(join(folder, name), 'utf8'))).toMatchObject({
      url: server.url,
      issuers: { [`${server.origin}`]: { tokens: { access_token: server.good[0] } } },
    });
    await using next = await start(server, { loginFolder: folder });
    expect([only(next).state, next.said]).toEqual(['ready', []]);
    expect(await only(next).logout()).toBe(true);
    expect(only(next).state).toBe('login');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('has none of its secrets shown or stored elsewhere', async () => {
    await using server = await startLoginServer();
    const learned: string[] = [];
    await using desk = await start(server, { learn: (value) => learned.push(value) });
    await only(desk).login(browse);
    const secrets = server.handed.filter((value) => !value.startsWith('code'));
    expect(secrets).toHaveLength(2);
    expect(learned).toEqual(expect.arrayContaining(secrets));
  });

  it('gets a new token without the user when the old one expired, once for many calls', async () => {
    await using server = await startLoginServer();
    await using desk = await start(server);
    await only(desk).login(browse);
    server.good.length = 0;
    const answers = await Promise.all(['a', 'b', 'c'].map(() => desk.call('web__look')));
    expect(answers.map(({ text }) => text)).toEqual(['seen', 'seen', 'seen']);
    expect(server.exchanges.map((each) => each.get('grant_type'))).toEqual(['authorization_code', 'refresh_token']);
    expect(server.seen.filter((line) => line === 'GET /authorize')).toHaveLength(1);
  });

  it('gets one registration, browser window and exchange for two logins at once', async () => {
    await using server = await startLoginServer();
    await using desk = await start(server);
    let open = () => {};
    const both = new Promise<void>((resolve) => {
      open = resolve;
    });
    const addresses: string[] = [];
    const person = (address: string) => {
      addresses.push(address);
      if (addresses.length === 2) open();
    };
    const logins = [only(desk).login(person), only(desk).login(person)];
    await both;
    expect(new Set(addresses).size).toBe(1);
    browse(addresses[0] ?? '');
    expect(await Promise.all(logins)).toEqual([undefined, undefined]);
    for (const path of ['POST /register', 'GET /authorize', 'POST /token'])
      expect(server.seen.filter((line) => line === path)).toHaveLength(1);
  });

  it('names the permissions that a call lacks, and a login requests all of them', async () => {
    await using server = await startLoginServer();
    await using desk = await start(server);
    await only(desk).login(browse);
    server.odd = { callScope: 'files:write' };
    const answer = await desk.call('web__look');
    expect(answer).toMatchObject({ failed: true });
    expect(answer.text).toBe(
      'web wants a login with further rights (files:write); the user can log in with :mcp login web',
    );
    expect(desk.said.at(-1)).toBe('mcp: web wants further rights (files:write): :mcp login web');
    expect(only(desk).state).toBe('ready');
    await only(desk).login(browse);
    expect((await desk.call('web__look')).text).toBe('seen');
  });

  it('accepts the address where a browser on another machine ended', async () => {
    await using server = await startLoginServer();
    await using desk = await start(server);
    const problem = only(desk).login(async (address) => {
      const { headers } = await fetch(address, { redirect: 'manual' });
      expect(only(desk).takeLogin('http://127.0.0.1/callback?code=x&state=y')).toBe(false);
      expect(only(desk).takeLogin(headers.get('location') ?? '')).toBe(true);
    });
    expect(await problem).toBeUndefined();
    expect(only(desk).takeLogin('http://127.0.0.1/callback?code=x&state=y')).toBe(false);
  });

  it('gets no login where the configuration has a token', async () => {
    await using server = await startLoginServer();
    await using desk = await startMcp(() => ({ web: { url: server.url, headers: { Authorization: 'Bearer mine' } } }), {
      restartDelayMs: 60_000,
    });
    expect(only(desk).state).toBe('waiting');
    expect(await only(desk).login(browse)).toMatch(/has a header of its own/);
  });
});

describe('a foreign answer to a login', () => {
  it('with another state is ignored, and the login continues', async () => {
    await using server = await startLoginServer();
    await using desk = await start(server);
    const problem = await only(desk).login(async (address) => {
      const back = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
      back.search = '?code=stolen&state=guessed';
      expect((await fetch(back)).status).toBe(400);
      browse(address);
    });
    expect(problem).toBeUndefined();
    expect(server.exchanges.map((each) => each.get('code'))).not.toContain('stolen');
  });

  const ROWS: readonly (readonly [string, Oddity, RegExp])[] = [
    ['of another authorization server is refused', { iss: 'https://evil.example' }, /the answer is not from http/],
    ['that does not name its server although it claims to', { saysIss: true }, /the answer is not from http/],
    ['metadata in another name is refused', { issuer: 'https://evil.example' }, /describes itself as https:\/\/evil/],
    ['metadata of another host is refused', { resourceMetadata: 'https://evil.example/m' }, /evil\.example, which is/],
    ['of another resource is refused', { resource: 'https://evil.example/mcp' }, /does not match expected/],
    ['a login page without https is refused', { authorize: 'http://evil.example/a' }, /not reached over/],
  ];

  it.each(ROWS)('with a fault gets no code and no token: %s', async (_what, odd, why) => {
    await using server = await startLoginServer(odd);
    await using desk = await start(server);
    expect(await only(desk).login(browse)).toMatch(why);
    expect(server.exchanges).toEqual([]);
    expect(only(desk).state).toBe('login');
  });

  it('of a server that the configuration does not name is refused', async () => {
    await using server = await startLoginServer();
    const oauth = { client_id: 'me', client_secret_env: 'PATH', issuer: 'https://login.example' };
    await using desk = await startMcp(() => ({ web: { url: server.url, oauth } }), { restartDelayMs: 60_000 });
    expect(await only(desk).login(browse)).toMatch(/the configuration names https:\/\/login\.example; refused/);
    expect(server.exchanges).toEqual([]);
  });
});
