import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { afterInput } from '../../../src/ui/terminal/schedule.ts';

it('reads what has come while the process stood still before it says that nothing came', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const writer = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  const [reader]: [Socket] = (await once(server, 'connection')) as [Socket];
  const order: string[] = [];
  reader.on('data', () => order.push('input'));
  // So that the next turn is not the one in which they are set up.
  await new Promise(setImmediate);
  const fired = new Promise<void>((resolve) => {
    afterInput(() => {
      order.push('timer');
      resolve();
    }, 5);
  });
  writer.write('x');
  for (const until = performance.now() + 30; performance.now() < until; );
  await fired;
  expect(order).toEqual(['input', 'timer']);
  writer.destroy();
  reader.destroy();
  server.close();
});

it('is called off until the last moment', async () => {
  const called: string[] = [];
  const cancel = afterInput(() => called.push('timer'), 0);
  // Due before it, so that it is called off between its time and its turn.
  setTimeout(cancel, 0);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(called).toEqual([]);
});
