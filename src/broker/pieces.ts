import { finished, type Readable } from 'node:stream';

/**
 * The pieces of a stream as they came, one at a time. The stream's own iterator copies all that came meanwhile into one:
 * twice the bytes of a flood, and the heap is cleared up as a whole for them, while keys are typed.
 *
 * A consumer that stops destroys the stream. Throws what the stream fails with; one that is destroyed before its end
 * fails with `ERR_STREAM_PREMATURE_CLOSE`.
 */
export async function* piecesOf(stream: Readable): AsyncGenerator<Uint8Array> {
  const came: Uint8Array[] = [];
  let ended = false;
  let failure: Error | null | undefined;
  let wake = () => {};
  stream.on('data', (piece: Uint8Array) => {
    came.push(piece);
    stream.pause();
    wake();
  });
  // Its listeners stay: an error after the end must find one.
  finished(stream, { writable: false }, (error) => {
    ended = true;
    failure = error;
    wake();
  });
  try {
    for (;;) {
      const piece = came.shift();
      if (piece) yield piece;
      else if (failure) throw failure;
      else if (ended) return;
      else {
        const more = new Promise<void>((resolve) => {
          wake = resolve;
        });
        stream.resume();
        await more;
      }
    }
  } finally {
    stream.destroy();
  }
}
