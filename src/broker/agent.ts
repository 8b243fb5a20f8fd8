/** Which way a request takes: the proxy and the certificates that the environment names, as for curl. */
import type { Agent } from 'node:http';
import { messageOf } from '../text/errors.ts';
import { isLoopback } from './preset.ts';

/** The code of an error about what the environment names: nothing was sent. */
export const UNUSABLE = 'UNUSABLE';

type Environment = Readonly<Record<string, string | undefined>>;

/** The agents of the last environment: connections are kept open in them. */
let made: { readonly key: string; readonly agents: Map<string, Agent> } | undefined;

/**
 * The agent for an address, or undefined where Node's own will do: nothing is set, or a plain server of this machine.
 * Throws where what is set can't be used: a request must not take another way than the user said.
 */
export function agentFor({ protocol, hostname }: URL, env: Environment = process.env): Agent | undefined {
  const secure = protocol === 'https:';
  const proxy = namedProxy(secure, env);
  const proxied = proxy !== undefined && !isHere(hostname);
  const file = (secure && env.SSL_CERT_FILE) || undefined;
  if (!proxied && file === undefined) return undefined;
  const except = env.no_proxy || env.NO_PROXY;
  const key = JSON.stringify([proxy, except, file]);
  if (made?.key !== key) {
    for (const agent of made?.agents.values() ?? []) agent.destroy();
    made = { key, agents: new Map() };
  }
  const name = `${protocol} ${proxied}`;
  const agent = made.agents.get(name) ?? makeAgent(secure, proxied ? httpProxy(proxy) : undefined, except, file);
  made.agents.set(name, agent);
  return agent;
}

/** For a message about a server that can't be reached: the variable that may have sent the request elsewhere. */
export function proxyVariable(address: string, env: Environment = process.env): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const secure = url?.protocol === 'https:';
  if (!url || isHere(url.hostname) || namedProxy(secure, env) === undefined) return undefined;
  return secure ? 'HTTPS_PROXY' : 'HTTP_PROXY';
}

function makeAgent(secure: boolean, proxy: string | undefined, except: string | undefined, file: string | undefined) {
  const options = {
    keepAlive: true,
    ...(proxy !== undefined && { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: except } }),
  };
  if (!secure) return new (process.getBuiltinModule('node:http').Agent)(options);
  const ca = file === undefined ? {} : { ca: certificates(file) };
  return new (process.getBuiltinModule('node:https').Agent)({ ...options, ...ca });
}

function namedProxy(secure: boolean, env: Environment): string | undefined {
  return (secure ? env.https_proxy || env.HTTPS_PROXY : env.http_proxy || env.HTTP_PROXY) || undefined;
}

/** The proxy's address as Node wants it: curl also takes HOST:PORT. */
function httpProxy(given: string): string {
  const address = given.includes('://') ? given : `http://${given}`;
  const known = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  // The address may hold a password.
  if (!known) throw unusable('the proxy in the environment is not an http or https address');
  return address;
}

/** In place of the built-in ones, as OpenSSL does it; those of `NODE_EXTRA_CA_CERTS` count as well. */
function certificates(file: string): string[] {
  const extra = process.getBuiltinModule('node:tls').getCACertificates?.('extra') ?? [];
  try {
    return [process.getBuiltinModule('node:fs').readFileSync(file, 'utf8'), ...extra];
  } catch (error) {
    throw unusable(`SSL_CERT_FILE can't be read: ${messageOf(error)}`);
  }
}

function unusable(message: string): Error {
  return Object.assign(new Error(message), { code: UNUSABLE });
}

/** Whether a host is this machine, by a loopback name or by an address of its own. */
function isHere(hostname: string): boolean {
  if (isLoopback(hostname)) return true;
  const bare = hostname.replace(/^\[|\]$/g, '');
  const own = Object.values(process.getBuiltinModule('node:os').networkInterfaces()).flat();
  return own.some((each) => each?.address === bare);
}
