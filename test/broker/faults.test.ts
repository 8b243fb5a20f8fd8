import { expect, test } from 'vitest';
import type { Reply } from '../../src/session/message.ts';
import { type FaultName, startFaultServer } from '../support/fault-server.ts';
import { converse, impatient, presetAt } from './talk.ts';

/** The expected result of each fault; only the named fields are compared. */
type Expected = {
  text?: string;
  reasoning?: string;
  finish: Reply['finish'];
  /** The expected arguments of the calls, in order. */
  calls?: readonly string[];
  kind?: NonNullable<Reply['failure']>['kind'];
  says?: RegExp;
  notice?: RegExp;
  tokens?: readonly [number, number];
  /** The expected number of chat requests. */
  requests?: number;
};

const LS = '{"command":"ls"}';
const PWD = '{"command":"pwd"}';
const FINE = { text: 'fine', finish: 'stop' } as const;
const HALF = { text: 'half', finish: 'failed' } as const;

const TABLE: Readonly<Partial<Record<FaultName, Expected>>> = {
  none: { ...FINE, tokens: [11, 7] },
  'no-usage': FINE,
  'usage-on-every-chunk': { ...FINE, tokens: [11, 2] },
  'missing-ids': { finish: 'tools', calls: [LS] },
  'no-ids-no-indexes': { finish: 'tools', calls: [LS, PWD] },
  'seventy-calls': { finish: 'tools', calls: Array(64).fill(LS), notice: /made 70 calls .*: the last 6 are not run/ },
  'object-arguments': { finish: 'tools', calls: [LS] },
  'double-encoded-arguments': { finish: 'tools', calls: [LS] },
  'arguments-in-pieces': { finish: 'tools', calls: [LS] },
  'no-arguments': { finish: 'tools', calls: ['{}'] },
  'broken-arguments': { finish: 'tools', calls: ['{"command":'] },
  'index-always-zero': { finish: 'tools', calls: [LS, PWD] },
  'index-always-zero-no-ids': { finish: 'tools', calls: [LS, PWD] },
  'same-id-twice': { finish: 'tools', calls: [LS, PWD] },
  'announced-calls-missing': { text: 'I will.', finish: 'stop', notice: /announced a tool call but made none/ },
  'reasoning-content': { ...FINE, reasoning: 'hm' },
  'reasoning-field': { ...FINE, reasoning: 'hm' },
  'think-tags-in-pieces': { ...FINE, reasoning: 'hm' },
  'lone-think-end': { ...FINE, reasoning: 'hm\n' },
  'content-parts': { ...FINE, reasoning: 'hm' },
  'only-thinking': { text: '', finish: 'length', notice: /spent its whole token limit in thinking/ },
  'empty-answer': { text: '', finish: 'stop', notice: /empty answer/ },
  'keep-alive': FINE,
  'long-keep-alive': FINE,
  'done-without-finish': FINE,
  'finish-without-done': FINE,
  'error-in-mid-stream': { ...HALF, kind: 'server', says: /out of memory.*tried 8 times/, requests: 8 },
  'error-as-text': { ...HALF, kind: 'server', says: /out of memory/, requests: 8 },
  'error-event': { ...HALF, kind: 'server', says: /out of memory/, requests: 8 },
  'finish-error': { ...HALF, kind: 'server', says: /stopped with an error/, requests: 8 },
  'early-end': { ...HALF, kind: 'cut', says: /ended early.*kept; tried 8 times/, requests: 8 },
  'empty-end': { finish: 'failed', kind: 'cut', says: /was empty; tried 8 times/, requests: 8 },
  killed: { ...HALF, kind: 'cut', says: /ended early \(the connection was closed\)/, requests: 8 },
  'killed-at-once': { finish: 'failed', kind: 'unreachable', says: /closed.*tried 8 times/, requests: 8 },
  garbage: { ...HALF, kind: 'protocol', says: /not a chat answer/, requests: 1 },
  stall: { ...HALF, kind: 'timeout', says: /went silent for 0\.1 s/, requests: 1 },
  'stall-before-anything': { finish: 'failed', kind: 'timeout', says: /sent nothing for 0\.3 s/, requests: 1 },
  'never-ends': { finish: 'failed', kind: 'cut', says: /did not stop writing/, requests: 1 },
  'line-never-ends': { finish: 'failed', kind: 'protocol', says: /a line of more than \d+ bytes/, requests: 1 },
  'event-never-ends': { finish: 'failed', kind: 'protocol', says: /an event of more than \d+ bytes/, requests: 1 },
  'ten-megabytes-in-one-line': { finish: 'failed', kind: 'cut', says: /did not stop writing/, requests: 1 },
  'ten-megabytes-in-one-event': { finish: 'failed', kind: 'protocol', says: /a line of more than \d+/, requests: 1 },
  'ten-megabytes-without-a-line-end': { finish: 'failed', kind: 'protocol', says: /a line of more than/, requests: 1 },
  'line-of-64-megabytes': { finish: 'failed', kind: 'protocol', says: /a line of more than \d+ bytes/, requests: 1 },
  'arguments-never-end': {
    finish: 'failed',
    kind: 'cut',
    says: /arguments of its tool calls were cut at 256000/,
    calls: [],
    notice: /call of bash was cut off/,
    requests: 1,
  },
  'deep-arguments': { finish: 'tools' },
  'deep-event': { ...HALF, kind: 'protocol', says: /not a chat answer/ },
  'error-never-ends': { finish: 'failed', kind: 'server', says: /500/, requests: 8 },
  'line-ends-of-old': FINE,
  'no-last-line-end': FINE,
  loading: { ...FINE, requests: 3 },
  'loading-for-ever': { finish: 'failed', kind: 'loading', says: /still loading/ },
  'rate-limited': { ...FINE, requests: 2 },
  'rate-limited-for-an-hour': { finish: 'failed', kind: 'busy', says: /asks to wait 3600 s/, requests: 1 },
  'busy-for-ever': { finish: 'failed', kind: 'busy', says: /all slots are taken/, requests: 8 },
  'no-credit': { finish: 'failed', kind: 'auth', says: /no credit left/, requests: 1 },
  'server-error': { finish: 'failed', kind: 'server', says: /500, something broke/, requests: 8 },
  'not-json-error': { finish: 'failed', kind: 'server', says: /502/, requests: 8 },
  unauthorised: { finish: 'failed', kind: 'auth', says: /API key was not accepted/, requests: 1 },
  'no-such-model': { finish: 'failed', kind: 'refused', says: /base_url.*model 'x' not found/, requests: 1 },
  overflow: { finish: 'failed', kind: 'overflow', says: /9000 tokens for a window of 4096/, requests: 1 },
  'overflow-openai': { finish: 'failed', kind: 'overflow', says: /too long/, requests: 1 },
  'error-with-200': { finish: 'failed', kind: 'server', says: /no provider/, requests: 8 },
  'json-instead-of-stream': { ...FINE, tokens: [11, 7] },
  'web-page': { finish: 'failed', kind: 'protocol', says: /web page; base_url usually ends in \/v1/, requests: 1 },
  redirect: { finish: 'failed', kind: 'refused', says: /redirects elsewhere/, requests: 1 },
  'cut-call': { finish: 'length', calls: [], notice: /call of bash was cut off and dropped/, tokens: [11, 7] },
  'cut-second-call': { finish: 'tools', calls: [LS], notice: /call of bash was cut off/ },
  'raw-tool-call': { text: 'Let me look.\n', finish: 'tools', calls: [LS] },
  'raw-tool-call-xml': { text: '', finish: 'tools', calls: ['{"command":"ls -l"}'] },
  'wants-max-completion-tokens': { ...FINE, requests: 2 },
  'knows-no-tools': { ...FINE, requests: 2 },
};

for (const [fault, expected] of Object.entries(TABLE)) {
  test(`a server with the fault "${fault}" causes at most a clear one-line message`, async () => {
    await using server = await startFaultServer(fault as FaultName);
    const { broker } = impatient([presetAt(server.baseUrl, { apiKey: async () => 'sk-secret-1234' })], {
      // The time limit is short only where it must expire; a keep-alive every 0.6 s shows that comments count as
      // activity.
      idleTimeoutMs: fault.startsWith('stall') ? 100 : fault === 'long-keep-alive' ? 400 : 5000,
      firstByteTimeoutMs: fault.startsWith('stall') ? 300 : 10_000,
      retry: { loadingMs: 2000 },
    });
    const { reply, text } = await converse(broker, { maxTokens: 100 });
    expect(reply.finish).toBe(expected.finish);
    expect(reply.failure?.kind).toBe(expected.kind);
    if (expected.text !== undefined) expect(reply.text).toBe(expected.text);
    if (expected.reasoning !== undefined) expect(reply.reasoning).toBe(expected.reasoning);
    if (expected.calls) expect(reply.toolCalls.map((call) => call.arguments)).toEqual(expected.calls);
    if (expected.says) expect(reply.failure?.message).toMatch(expected.says);
    if (expected.notice) expect(reply.notices.join('\n')).toMatch(expected.notice);
    else expect(reply.notices).toEqual([]);
    if (expected.tokens) expect([reply.usage?.promptTokens, reply.usage?.completionTokens]).toEqual(expected.tokens);
    if (expected.requests !== undefined) expect(server.calls()).toBe(expected.requests);
    // This must be true for every fault.
    const ids = reply.toolCalls.map((call) => call.id);
    expect(new Set(ids.filter((id) => id !== '')).size).toBe(ids.length);
    expect(reply.failure?.message ?? '').not.toMatch(/\n|sk-secret/);
    // The screen showed the reply's text, except for thinking that was recognised late.
    if (fault !== 'lone-think-end') expect(text).toBe(reply.text);
  });
}

test('a wrong port, name or address gives one line that says what to do', async () => {
  for (const baseUrl of ['http://127.0.0.1:9/v1', 'http://no-such-host.invalid/v1', 'not an address']) {
    const { broker } = impatient([presetAt(baseUrl)]);
    const { reply } = await converse(broker);
    expect(reply.finish).toBe('failed');
    expect(reply.failure?.message).toMatch(/fast/);
    expect(reply.failure?.message).not.toContain('\n');
  }
});
