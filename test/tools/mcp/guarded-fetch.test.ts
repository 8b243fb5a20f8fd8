/** Redirects of a login’s requests: which targets are allowed. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { guardedFetch } from '../../../src/tools/mcp/oauth/provider.ts';

async function listen(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, [Symbol.dispose]: () => void server.close() };
}

const fetching = guardedFetch(new AbortController().signal);

it('a request with a token is never redirected', async () => {
  let got = 0;
  using other = await listen((_, response) => {
    got += 1;
    response.end();
  });
  using own = await listen((_, response) => response.writeHead(307, { location: other.url }).end());
  await expect(fetching(own.url, { method: 'POST', body: 'refresh_token=x' })).rejects.toThrow('redirects the request');
  expect(got).toBe(0);
});

it('a server’s description may be redirected, over https or within this machine', async () => {
  using other = await listen((_, response) => response.end('{}'));
  using own = await listen(({ url }, response) =>
    response.writeHead(302, { location: url === '/' ? other.url : 'http://example.invalid/' }).end(),
  );
  expect(await (await fetching(own.url)).text()).toBe('{}');
  await expect(fetching(`${own.url}out`)).rejects.toThrow('not reached over https');
});
