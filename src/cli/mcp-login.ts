/** `aish-tui mcp login NAME`, `logout NAME`: logs in to a configured server without a screen. */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fillServer } from '../app/mcp.ts';
import { loadConfig, placesOf } from '../config/index.ts';
import { asCompanion } from '../executor/index.ts';
import { visible } from '../text/sanitize.ts';
import { McpServers } from '../tools/index.ts';
import { EXIT } from './exit-codes.ts';
import type { Writer } from './print.ts';

export type LoginWish = { readonly name: string; readonly out: boolean };

/** Returns exit code 0 after login and connection; 1 if that failed; 2 if there is no such server. */
export async function mcpLogin(
  wish: LoginWish,
  { config, version }: { readonly config: string | undefined; readonly version: string },
  out: Writer,
  err: Writer,
): Promise<number> {
  const loaded = await loadConfig(config, process.env);
  const server = loaded.ok ? loaded.config.mcp.servers[wish.name] : undefined;
  if (!server || !('url' in server)) {
    const why = loaded.ok
      ? `there is no server ${wish.name} with an address; aish-tui mcp list shows all`
      : loaded.message;
    err(`aish-tui: ${visible(why)}\n`);
    return EXIT.usage;
  }
  const servers = new McpServers({
    servers: { [wish.name]: server },
    readOnly: [],
    version,
    launch: asCompanion,
    fill: (name, server) =>
      fillServer(
        name,
        server,
        () => Promise.resolve(true),
        () => {},
      ),
    env: {},
    cwd: process.cwd(),
    root: () => process.cwd(),
    say: () => {},
    elicit: () => Promise.resolve({ action: 'cancel' }),
    loginFolder: join(placesOf(process.env).state, 'mcp-logins'),
    secret: (variable) => process.env[variable],
    learn: () => {},
    keep: () => Promise.resolve(undefined),
  });
  const [one] = servers.servers;
  if (!one) return EXIT.usage;
  try {
    if (wish.out) {
      out((await one.logout()) ? `logged out of ${wish.name}\n` : `there is no login to ${wish.name}\n`);
      return EXIT.ok;
    }
    await one.start();
    const problem = one.state === 'login' ? await loggedIn() : undefined;
    if (problem === undefined && one.state === 'ready') {
      out(`${wish.name} is ready: ${one.tools.length} ${one.tools.length === 1 ? 'tool' : 'tools'}\n`);
      return EXIT.ok;
    }
    err(`aish-tui: ${visible(`${wish.name}: ${problem ?? one.lastError}`)}\n`);
    return 1;
  } finally {
    await servers.close();
  }

  /** While the login is open, the user may type the final address that a browser on another machine shows. */
  async function loggedIn(): Promise<string | undefined> {
    const lines = createInterface({ input: process.stdin });
    lines.on('line', (line) => {
      if (line.trim() !== '' && one?.takeLogin(line) === false) err('aish-tui: this is not the answer to this login\n');
    });
    try {
      return await one?.login((address, host) =>
        out(
          `Log in at ${visible(host)}:\n  ${visible(address)}\nWhere that browser is on another machine, paste here the address it ends at.\n`,
        ),
      );
    } finally {
      lines.close();
    }
  }
}
