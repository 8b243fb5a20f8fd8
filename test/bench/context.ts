/**
 * How much of each prompt a real llama.cpp server processes again in a conversation with tool calls (CX-6). npm run
 * bench -- context [QUESTIONS [CONTEXT]]
 */
import { llamaMissing } from '../broker/llama-server.ts';
import { cacheRun } from '../support/cache-run.ts';

const missing = llamaMissing();
if (missing !== undefined) {
  console.log(`no real llama.cpp server here: ${missing}`);
  process.exit(0);
}

const [questions = '24', context = '4096'] = process.argv.slice(2);
const calls = await cacheRun(Number(questions), Number(context));
console.log('call  prompt   anew  share  appended');
for (const [index, { prompt, anew, appended, evicted }] of calls.entries()) {
  const share = `${((100 * anew) / prompt).toFixed(1)}%`;
  const row = [String(index + 1).padStart(4), String(prompt).padStart(7), String(anew).padStart(6), share.padStart(6)];
  console.log(row.join(' '), String(appended).padStart(9), evicted ? ' a block was evicted' : '');
}
const steady = calls.slice(1).filter((call) => !call.evicted);
const worst = Math.max(...steady.map(({ prompt, anew }) => anew / prompt));
const wasted = steady.reduce((sum, { anew, appended }) => sum + Math.max(0, anew - appended), 0);
const sum = (pick: (call: (typeof calls)[number]) => number) => calls.reduce((total, call) => total + pick(call), 0);
console.log(`worst share without an eviction ${(100 * worst).toFixed(1)}%, ${wasted} tokens processed twice`);
console.log(`all calls: ${sum((call) => call.anew)} of ${sum((call) => call.prompt)} tokens processed anew`);
