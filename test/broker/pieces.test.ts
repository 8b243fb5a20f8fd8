import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { piecesOf } from '../../src/broker/answer-stream.ts';

const textsOf = async (stream: Readable): Promise<readonly string[]> => {
  const texts: string[] = [];
  for await (const piece of piecesOf(stream)) texts.push(String(piece));
  return texts;
};

it('the reader returns each chunk of a stream separately, even if several arrived at once', async () => {
  const stream = new PassThrough();
  for (const text of ['a', 'b', 'c']) stream.write(text);
  stream.end();
  expect(await textsOf(stream)).toEqual(['a', 'b', 'c']);
  expect(await textsOf(Readable.from([]))).toEqual([]);
});

it('the reader consumes no more of a stream than was requested', async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  const pieces = piecesOf(stream);
  stream.write('abcd');
  expect(String((await pieces.next()).value)).toBe('abcd');
  stream.write('efgh');
  stream.write('ijkl');
  await nextTurn();
  expect(stream.writableNeedDrain).toBe(true);
  expect(String((await pieces.next()).value)).toBe('efgh');
  await pieces.return(undefined);
  expect(stream.destroyed).toBe(true);
});

it('the reader returns the chunks before a failure first, then the failure', async () => {
  const stream = new PassThrough();
  const pieces = piecesOf(stream);
  stream.write('half');
  expect(String((await pieces.next()).value)).toBe('half');
  const next = pieces.next();
  stream.destroy(new Error('gone'));
  await expect(next).rejects.toThrow('gone');
});

it('the reader fails when a stream is destroyed before its end, even if it was not read yet', async () => {
  const stream = new PassThrough();
  const read = textsOf(stream);
  stream.destroy();
  await expect(read).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
  const early = new PassThrough();
  early.destroy();
  await once(early, 'close');
  await expect(textsOf(early)).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
});
