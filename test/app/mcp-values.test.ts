import { homedir } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fillServer } from '../../src/app/mcp.ts';
import type { McpServer } from '../../src/config/index.ts';

afterEach(() => void vi.unstubAllEnvs());

async function fill(server: McpServer, may = true) {
  const learned: string[] = [];
  const asked: string[] = [];
  const mayStart = ({ name }: { name: string }) => {
    asked.push(name);
    return Promise.resolve(may);
  };
  vi.stubEnv('WIKI_TOKEN', 'from-the-environment');
  vi.stubEnv('WIKI_HOST', 'wiki.example');
  return { filled: await fillServer('wiki', server, mayStart, (value) => learned.push(value)), learned, asked };
}

const at = (url: string, headers = {}) => ({ url, headers });
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the configuration spells variables so.
describe('the configuration of an MCP server', () => {
  it.each<[string, McpServer, object]>([
    [
      'env',
      { command: 'x', env: { KEY: '${WIKI_TOKEN}', SET: 'plain' } },
      { env: { KEY: 'from-the-environment', SET: 'plain' } },
    ],
    [
      'args',
      { command: 'x', args: ['--host=${WIKI_HOST}', '$WIKI_HOST'] },
      { args: ['--host=wiki.example', '$WIKI_HOST'] },
    ],
    ['cwd', { command: 'x', cwd: '${HOME}' }, { cwd: process.env.HOME }],
    ['cwd below the home directory', { command: 'x', cwd: '~' }, { cwd: homedir() }],
    ['url', at('https://${WIKI_HOST}/mcp'), { url: 'https://wiki.example/mcp' }],
    [
      'headers',
      at('https://x', { Authorization: 'Bearer ${WIKI_TOKEN}' }),
      { headers: { Authorization: 'Bearer from-the-environment' } },
    ],
  ])('is filled with variables in %s', async (_where, server, expected) => {
    expect((await fill(server)).filled).toMatchObject(expected);
  });

  it('is filled with the output of a command, which counts as a secret', async () => {
    const { filled, learned, asked } = await fill({ command: 'x', env_cmd: { KEY: 'echo printed' } });
    expect(filled).toEqual({ command: 'x', args: [], env: { KEY: 'printed' } });
    expect([learned, asked]).toEqual([['printed'], ['the command for KEY of the MCP server wiki']]);
  });

  it.each<[string, McpServer, boolean, RegExp]>([
    [
      'a variable that is not set',
      { command: 'x', env: { KEY: '${NO_SUCH_ONE}' } },
      true,
      /^mcp\.servers\.wiki\.env\.KEY needs .* NO_SUCH_ONE/,
    ],
    ['a command that fails', { command: 'x', env_cmd: { KEY: 'exit 3' } }, true, /env_cmd\.KEY printed nothing/],
    ['a command that prints nothing', { command: 'x', env_cmd: { KEY: 'true' } }, true, /env_cmd\.KEY printed nothing/],
    [
      'a command that may not start',
      { command: 'x', env_cmd: { KEY: 'echo x' } },
      false,
      /env_cmd\.KEY printed nothing/,
    ],
    ['a directory that is not there', { command: 'x', cwd: '/no/such/place' }, true, /cwd is no directory/],
  ])('is refused with a reason, and the server is not started: %s', async (_what, server, may, why) => {
    await expect(fill(server, may)).rejects.toThrow(why);
  });
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above.
