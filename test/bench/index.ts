/** `npm run bench [-- NAME [ARGUMENTS]]`: runs one measurement by its name. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BENCHES: Readonly<Record<string, string>> = {
  table:
    'start, waits, keys, streaming, steps, output, idle, requests, growth: ratios, each beside its goal [SECTION…]',
  flood: '100 MB of output: the executor against the raw terminal, keys meanwhile, memory',
  agents: 'typing while eight sub-agents stream',
  context: 'what a real llama.cpp server reads anew of each prompt [QUESTIONS [CONTEXT]]',
  history: '10,000 lines of history searched, a key at a time',
  gate: 'recall, false positives and speed of the gate over the labelled commands, and over recorded ones [RUNS.jsonl]',
  replay: 'how often recorded agent work would be interrupted: RUNS.jsonl',
  route: 'how lines are taken, shell or model, beside the goals [--errors]',
  secrets: 'recall, false positives and speed of the secrets filter',
  effects: 'what keeping costs, and an undo',
  memory: 'what 2,000 steps leave in memory',
  resume: 'a session of 12,000 events: its first frame, reading and folding',
  suggest: 'what suggestion and colours cost a typed key',
  shell: 'natively and inside: from Enter to the prompt, a flood under tmux, keys in a long history',
  hosts: 'a judged command on a host beside a shared connection, and 20 hosts beside Ansible',
  sandbox: 'what the launcher of the kernel sandbox costs',
};

const [name = 'table', ...rest] = process.argv.slice(2);
if (!Object.hasOwn(BENCHES, name)) {
  const rows = Object.entries(BENCHES).map(([known, what]) => `  ${known.padEnd(8)} ${what}`);
  console.error(`there is no bench ${name}; npm run bench -- NAME knows\n${rows.join('\n')}`);
  process.exit(2);
}
const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
process.exit(spawnSync(process.execPath, [file, ...rest], { stdio: 'inherit' }).status ?? 1);
