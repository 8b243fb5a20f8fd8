/** A model server that takes a moment to come up: `node serve-script.mjs PORT`. Says `up` on its output when it listens. */
import { createServer } from 'node:http';

const [port] = process.argv.slice(2).map(Number);
setTimeout(() => {
  createServer((request, response) => {
    const streams = request.url?.endsWith('/chat/completions');
    response.setHeader('content-type', streams ? 'text/event-stream' : 'application/json');
    if (!streams) return response.end(JSON.stringify({ data: [{ id: 'late' }] }));
    const chunk = { choices: [{ index: 0, delta: { content: 'served at last' }, finish_reason: 'stop' }] };
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  }).listen(port, '127.0.0.1', () => console.log('up'));
}, 300);
