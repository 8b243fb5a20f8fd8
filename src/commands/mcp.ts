import type { McpServerInfo } from '../contracts/tools.ts';
import { nearest } from '../text/matching.ts';
import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';

const WITH_A_NAME = ['tools', 'enable', 'restart', 'stop', 'login', 'logout'] as const;

/** `:mcp`: shows servers, their tools and logs; stops, starts, and logs in to one (MC-2). */
export const mcp: Command = {
  name: 'mcp',
  usage: ':mcp [name | tools <name> | enable <tool> | restart <name> | stop <name> | login <name> | logout <name>]',
  group: 'agent',
  summary: 'list the MCP servers',
  forms: [
    [':mcp web', 'show one server'],
    [':mcp tools web', 'list its tools'],
    [':mcp enable web__search', 'describe this tool to the model'],
    [':mcp restart web', 'restart it'],
    [':mcp stop web', 'stop it'],
    [':mcp login web', 'log in to it'],
    [':mcp logout web', 'forget that login'],
  ],
  arguments(app, [first]) {
    const names = app.mcp.servers().map(({ name, state }) => ({ word: name, note: state }));
    if (first === undefined) return [...WITH_A_NAME, ...names];
    if (first === 'enable')
      return app.mcp.servers().flatMap(({ tools }) => tools.map((tool) => ({ word: tool.name, note: '' })));
    return WITH_A_NAME.some((word) => word === first) ? names : [];
  },
  stops: (rest) => /^restart\b/.test(rest),
  async run(app, rest, signal) {
    const servers = app.mcp.servers();
    if (servers.length === 0) return 'no MCP servers: add them as mcp.servers in the configuration';
    const [word = '', name, address] = rest.split(/\s+/);
    if (word === '') return servers.map(row).join('\n');
    if (word === 'enable') {
      if (name === undefined || !app.mcp.enable(name)) throw new CommandError(noTool(servers, name));
      return `the model learns of ${name} with the next request`;
    }
    if (word === 'tools') return toolsOf(find(servers, name));
    if (word === 'restart' || word === 'stop') {
      const server = find(servers, name);
      const stop = () => app.mcp.stop(server.name);
      signal.addEventListener('abort', () => void stop(), { once: true });
      await (word === 'stop' ? stop() : app.mcp.restart(server.name));
      return app.mcp
        .servers()
        .filter(({ name: one }) => one === server.name)
        .map(row)
        .join('\n');
    }
    if (word === 'login') return login(app, find(servers, name).name, address);
    if (word === 'logout') {
      const server = find(servers, name);
      return (await app.mcp.logout(server.name))
        ? `logged out of ${server.name}`
        : `there is no login to ${server.name}`;
    }
    return details(find(servers, word));
  },
};

/** Returns once the user can log in; the result is reported later. */
async function login(app: App, name: string, address: string | undefined): Promise<string> {
  if (address !== undefined) {
    if (app.mcp.takeLogin(name, address)) return `accepted; now ${name} is asked for its token`;
    throw new CommandError(`this reply belongs to no login in progress: start one with :mcp login ${name}`);
  }
  return new Promise((resolve) => {
    const ended = app.mcp.login(name, (where, host) =>
      resolve(
        [
          `log in at ${host}:`,
          `  ${where}`,
          `Where that browser is on another machine, it ends at an address that can't be reached: give it to :mcp login ${name} ADDRESS`,
        ].join('\n'),
      ),
    );
    void ended.then(() => resolve(''));
  });
}

function find(servers: readonly McpServerInfo[], name = ''): McpServerInfo {
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const names = servers.map((server) => server.name);
  const guess = nearest(name, names);
  const hint = guess ? `did you mean ${guess}?` : `there are: ${names.join(', ')}`;
  throw new CommandError(name === '' ? `name a server: ${names.join(', ')}` : `no server is called ${name}; ${hint}`);
}

function noTool(servers: readonly McpServerInfo[], name = ''): string {
  const names = servers.flatMap(({ tools }) => tools.map((tool) => tool.name));
  const guess = nearest(name, names);
  if (name === '') return 'name a tool: :mcp tools NAME lists those of a server';
  return `no tool is called ${name}${guess === undefined ? '' : `; did you mean ${guess}?`}`;
}

function row({ name, state, tools, lastError, address }: McpServerInfo): string {
  const count = `${tools.length} tool${tools.length === 1 ? '' : 's'}`;
  // For a program its base name is enough.
  const short = address.startsWith('/') ? address.slice(address.lastIndexOf('/') + 1) : address;
  return `${name.padEnd(14)} ${state.padEnd(9)} ${count.padEnd(10)} ${lastError === '' ? short : lastError}`;
}

function details(server: McpServerInfo): string {
  const { title, address, lastError, written } = server;
  return [
    row(server),
    ...(title === '' ? [] : [`  calls itself ${title}`]),
    `  ${address}`,
    ...(lastError === '' ? [] : [`  last error: ${lastError}`]),
    ...(written === '' ? ['  no log output'] : ['  log output:', written.trimEnd()]),
  ].join('\n');
}

function toolsOf({ name, tools }: McpServerInfo): string {
  if (tools.length === 0) return `${name} offers no tools`;
  return tools
    .map((tool) => {
      const marks = [
        tool.readOnly ? 'read-only' : '',
        tool.halts ? 'halts' : tool.autoApproved ? 'runs without asking' : 'asks',
        tool.changed ? 'changed since it was first seen' : '',
        tool.unchecked === undefined ? '' : `arguments not checked: ${tool.unchecked}`,
      ].filter((mark) => mark !== '');
      const [first = ''] = tool.description.trim().split('\n');
      return `${tool.name}${marks.length > 0 ? `  [${marks.join(', ')}]` : ''}\n    ${first.slice(0, 160)}`;
    })
    .join('\n');
}
