/** Turns the configured MCP servers into tools and connects them to the other services. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Config, filledText, type McpServer } from '../config/index.ts';
import type { McpPort } from '../contracts/tools.ts';
import { asCompanion, saveOutput } from '../executor/index.ts';
import { hostOf } from '../session/place.ts';
import { matchesGlob } from '../text/matching.ts';
import { McpServers } from '../tools/index.ts';
import { openInBrowser } from './open-address.ts';
import type { OwnCommand, OwnStarts } from './own-starts.ts';
import { keyFrom } from './presets.ts';
import type { SessionBus } from './session-bus.ts';

type McpLinks = {
  readonly dataDir: string;
  /** The state folder shared by all sessions. */
  readonly state: string;
  /** Adds the values of a login to the known secrets. */
  readonly learn: (value: string) => void;
  readonly version: string;
  readonly bus: SessionBus;
  /**
   * Returns whether a command in Project mode runs: a server started meanwhile may run files that the user has not
   * reviewed.
   */
  readonly runsInProject: () => boolean;
  readonly starts: OwnStarts;
};

/** How long a run without a screen waits for servers by default, in ms. */
const PATIENCE_MS = 10_000;

/** Environment variables a server may see: paths and locale, no credentials. */
const HARMLESS = /^(?:HOME|LOGNAME|USER|PATH|SHELL|LANG|LC_\w+|TZ|TMPDIR|XDG_(?:CACHE|CONFIG|DATA|STATE)_\w+)$/;

export function openMcp(
  { mcp }: Config,
  { dataDir, state, version, bus, learn, runsInProject, starts }: McpLinks,
): McpServers {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      // An exported bash function is code.
      (pair): pair is [string, string] => HARMLESS.test(pair[0]) && pair[1] !== undefined && !pair[1].startsWith('()'),
    ),
  );
  return new McpServers({
    servers: mcp.servers,
    readOnly: mcp.read_only,
    version,
    launch: asCompanion,
    startTimeoutMs: mcp.start_seconds && mcp.start_seconds * 1000,
    fill: (name, server, byUser) => fillServer(name, server, (command) => starts.mayStart(command, byUser), learn),
    mayRestart: () => !runsInProject(),
    mayStart: (name, { command, args = [], env = {}, cwd = process.cwd() }, byUser) =>
      starts.mayStart({ name: `the MCP server ${name}`, words: [command, ...args], env, cwd }, byUser),
    env,
    cwd: process.cwd(),
    // Servers get one root: the local directory of the user's shell.
    root: () => (hostOf(bus.engine.shellCwd) === undefined ? bus.engine.shellCwd : process.cwd()),
    say: (level, text) => bus.show(text, level),
    changed: () => bus.changed(),
    elicit: (form, signal) => bus.ask(form, signal),
    loginFolder: join(state, 'mcp-logins'),
    secret: (variable) => process.env[variable],
    learn,
    keep: (text) => saveOutput(dataDir, text),
  });
}

/** Substitutes variables and command output in a server's configuration. Throws with the reason on failure. */
export async function fillServer(
  name: string,
  server: McpServer,
  mayStart: (command: OwnCommand) => Promise<boolean>,
  learn: (value: string) => void,
): Promise<McpServer> {
  const text = (key: string, value: string) => filledText(value, `mcp.servers.${name}.${key}`, process.env);
  const all = (key: string, values: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(values).map(([inner, value]) => [inner, text(`${key}.${inner}`, value)]));
  if ('url' in server) return { ...server, url: text('url', server.url), headers: all('headers', server.headers) };
  const { env_cmd: commands = {}, cwd, ...rest } = server;
  const printed: Record<string, string> = {};
  for (const [variable, line] of Object.entries(commands)) {
    const place = `mcp.servers.${name}.env_cmd.${variable}`;
    const command = { name: `the command for ${variable} of the MCP server ${name}`, words: [line] };
    const value = (await mayStart(command)) ? await keyFrom(line).catch(() => undefined) : undefined;
    if (value === undefined) throw new Error(`${place} printed nothing, or failed`);
    learn(value);
    printed[variable] = value;
  }
  const directory = cwd === undefined ? undefined : resolve(text('cwd', cwd).replace(/^~(?=\/|$)/, homedir()));
  if (directory !== undefined && !statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`mcp.servers.${name}.cwd is no directory: ${directory}`);
  return {
    ...rest,
    args: (server.args ?? []).map((value) => text('args', value)),
    env: { ...all('env', server.env), ...printed },
    ...(directory === undefined ? {} : { cwd: directory }),
  };
}

/** Implements the `:mcp` command. */
export function createMcpPort(
  { mcp, auto_approve: autoApprove, safety }: Config,
  servers: McpServers,
  bus: SessionBus,
): McpPort {
  return {
    patience: mcp.start_seconds === undefined ? PATIENCE_MS : mcp.start_seconds * 1000,
    servers: () =>
      servers.servers.map(({ name, state, startingSince, address, title, lastError, written, tools }) => ({
        name,
        state,
        startingSince,
        address,
        title,
        lastError,
        written,
        tools: tools.map(({ spec }) => ({
          name: spec.name,
          description: spec.description,
          readOnly: matchesGlob(spec.name, mcp.read_only),
          autoApproved: matchesGlob(spec.name, autoApprove),
          halts: matchesGlob(spec.name, safety.always_destructive_tools),
          changed: servers.facts(spec.name)?.changed === true,
          ...withReason(servers.unchecked(spec.name)),
        })),
      })),
    async start(milliseconds) {
      const late = new AbortController();
      const started = servers.start().finally(() => late.abort());
      await Promise.race([
        started,
        delay(milliseconds, undefined, { signal: late.signal, ref: false }).catch(() => {}),
      ]);
    },
    async login(name, opened) {
      const server = servers.servers.find((one) => one.name === name);
      if (!server) return;
      const problem = await server.login((address, at) => {
        openInBrowser(address, process.env);
        opened(address, at);
      });
      bus.show(
        problem === undefined ? `mcp: ${name}: logged in` : `mcp: ${name}: not logged in: ${problem}`,
        problem === undefined ? 'info' : 'warning',
      );
    },
    takeLogin: (name, address) => servers.servers.find((one) => one.name === name)?.takeLogin(address) ?? false,
    logout: async (name) => (await servers.servers.find((one) => one.name === name)?.logout()) ?? false,
    enable: (tool) => servers.enable(tool),
    restart: async (name) => servers.servers.find((server) => server.name === name)?.restart(),
    stop: async (name) => servers.servers.find((server) => server.name === name)?.close(),
  };
}

function withReason(unchecked: string | undefined) {
  return unchecked === undefined ? {} : { unchecked };
}
