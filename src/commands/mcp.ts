import type { McpServerInfo } from '../contracts/tools.ts';
import { nearest } from '../text/nearest.ts';
import { type Command, CommandError } from './command.ts';

const WITH_A_NAME = ['tools', 'restart', 'stop'] as const;

/** `:mcp`: servers, their tools, their log output, and stopping and starting one (MC-2). */
export const mcp: Command = {
  name: 'mcp',
  usage: ':mcp [name | tools <name> | restart <name> | stop <name>]',
  group: 'agent',
  summary: 'list the MCP servers',
  forms: [
    [':mcp web', 'one server'],
    [':mcp tools web', 'its tools'],
    [':mcp restart web', 'start it anew'],
    [':mcp stop web', 'stop it'],
  ],
  arguments(app, [first]) {
    const names = app.mcp.servers().map(({ name, state }) => ({ word: name, note: state }));
    if (first === undefined) return [...WITH_A_NAME, ...names];
    return WITH_A_NAME.some((word) => word === first) ? names : [];
  },
  stops: (rest) => /^restart\b/.test(rest),
  async run(app, rest, signal) {
    const servers = app.mcp.servers();
    if (servers.length === 0) return 'no MCP servers are configured; mcp.servers in the configuration names them';
    const [word = '', name] = rest.split(/\s+/);
    if (word === '') return servers.map(row).join('\n');
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
    return details(find(servers, word));
  },
};

function find(servers: readonly McpServerInfo[], name = ''): McpServerInfo {
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const names = servers.map((server) => server.name);
  const guess = nearest(name, names);
  const hint = guess ? `did you mean ${guess}?` : `there are: ${names.join(', ')}`;
  throw new CommandError(name === '' ? `name a server: ${names.join(', ')}` : `no server is called ${name}; ${hint}`);
}

function row({ name, state, tools, lastError, address }: McpServerInfo): string {
  const count = `${tools.length} tool${tools.length === 1 ? '' : 's'}`;
  // For a program, the name is enough here.
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
        tool.autoApproved ? 'runs without asking' : '',
        tool.changed ? 'changed since it was first seen' : '',
        tool.unchecked === undefined ? '' : `arguments not checked: ${tool.unchecked}`,
      ].filter((mark) => mark !== '');
      const [first = ''] = tool.description.trim().split('\n');
      return `${tool.name}${marks.length > 0 ? `  [${marks.join(', ')}]` : ''}\n    ${first.slice(0, 160)}`;
    })
    .join('\n');
}
