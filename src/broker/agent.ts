/** Chooses the route of a request: the proxy and certificates in the environment, as curl does. */
import type { Agent } from 'node:http';
import { messageOf } from '../text/errors.ts';
import { isLoopback } from './preset.ts';

/** The error code for an unusable proxy or certificate: nothing was sent. */
export const UNUSABLE = 'UNUSABLE';

type Environment = Readonly<Record<string, string | undefined>>;

/** The agents for the last environment; they keep connections open. */
let made: { readonly key: string; readonly agents: Map<string, Agent> } | undefined;

/**
 * Returns the agent for an address; undefined if Node's default is right: nothing is set, or a plain server of this
 * machine.
 * Throws if a setting is unusable, because a request must not take a different route than the user said.
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

/** Returns the variable that may have misdirected a request, for the message about an unreachable server. */
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

/** Returns the proxy's address as Node requires it: curl also accepts HOST:PORT. */
function httpProxy(given: string): string {
  const address = given.includes('://') ? given : `http://${given}`;
  const known = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  // Don't show the address, which may contain a password.
  if (!known) throw unusable('the proxy in the environment is not an http or https address');
  return address;
}

/**
 * The certificates of `SSL_CERT_FILE` replace the built-in ones, as in OpenSSL; those of `NODE_EXTRA_CA_CERTS` are
 * added.
 */
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

/** Whether a host is this machine, by a loopback name or one of its addresses. */
function isHere(hostname: string): boolean {
  if (isLoopback(hostname)) return true;
  const bare = hostname.replace(/^\[|\]$/g, '');
  const own = Object.values(process.getBuiltinModule('node:os').networkInterfaces()).flat();
  return own.some((each) => each?.address === bare);
}
