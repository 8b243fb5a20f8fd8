import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { afterInput } from '../../../src/ui/terminal/schedule.ts';

it('input that arrived while the process was busy is read before a timeout fires', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const writer = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  const [reader]: [Socket] = (await once(server, 'connection')) as [Socket];
  const order: string[] = [];
  reader.on('data', () => order.push('input'));
  // Otherwise the next turn could be the one in which the timers are set.
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

it('a scheduled call can be cancelled until the last moment', async () => {
  const called: string[] = [];
  const cancel = afterInput(() => called.push('timer'), 0);
  // This timer is due earlier, so that the cancellation comes between the timer and its turn.
  setTimeout(cancel, 0);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(called).toEqual([]);
});
