import { describe, expect, it } from 'vitest';
import type { App } from '../../src/commands/app.ts';
import type { SetupOffer } from '../../src/contracts/models.ts';
import { KEY_TABLE } from '../../src/ui/keymap/table.ts';
import { handles } from '../../src/ui/screen/input.ts';
import { type Stage, setStage } from './stage.tsx';

it.each(KEY_TABLE.map((binding) => [`${binding.context}.${binding.command}`, binding] as const))(
  'every key binding has an effect: %s',
  (_, binding) => {
    expect(handles(binding)).toBe(true);
  },
);

it('the check of the server ends when the user leaves the first screen', async () => {
  const looks: AbortSignal[] = [];
  const problem = async (_preset: string, signal: AbortSignal) => {
    looks.push(signal);
    return undefined;
  };
  const stage = await setStage({ problem });
  await stage.until(() => looks.length === 1);
  expect(looks[0]?.aborted).toBe(false);
  stage.press('ls\r');
  await stage.until(() => looks[0]?.aborted === true);
});

describe('the models that were found, on the start screen,', () => {
  const offers: readonly SetupOffer[] = [
    { name: 'fast', kind: 'server', label: 'Ollama', model: 'qwen3', address: 'http://127.0.0.1:11434/v1' },
    {
      name: 'cloud',
      kind: 'key',
      label: 'OpenAI',
      model: 'gpt-5-mini',
      address: 'https://api.openai.com/v1',
      key: 'OPENAI_API_KEY',
    },
  ];
  const tested: string[] = [];
  const written: string[] = [];
  const setup: Partial<App['setup']> = {
    found: 'Found a key.',
    find: async () => offers,
    async test(wanted) {
      tested.push(wanted);
      const offer = offers.find(({ name }) => name === wanted);
      const probe = { reachable: wanted === 'fast', detail: wanted === 'fast' ? 'answers' : 'it rejects the key' };
      return offer ? { offer, probe, written: '' } : { problem: 'not there' };
    },
    async write(name) {
      written.push(name);
      return { name };
    },
  };
  const marked = (stage: Stage) => stage.frame().match(/❯ (?:Ollama|OpenAI)/)?.[0];

  it('are a list in which Enter tests the selected one, with a message that says what to do when the test fails', async () => {
    const stage = await setStage({ setup });
    await stage.see(
      /❯ Ollama +qwen3 +127\.0\.0\.1:11434 +✓ answers *\n +OpenAI +gpt-5-mini +key in OPENAI_API_KEY +not/,
    );
    await stage.see('Ollama: what you ask stays on this machine');
    stage.press('\x1b[B');
    await stage.see('OpenAI: what you ask and run goes to api.openai.com');
    expect(tested.splice(0)).toEqual([]);
    stage.press('\r');
    await stage.see(/✗ OpenAI: it rejects the key; check OPENAI_API_KEY and the network, or\s+choose another/);
    stage.press('\x1b[B\r');
    await stage.until(() => marked(stage) === undefined);
    expect([tested.splice(0), written.splice(0)]).toEqual([['cloud', 'fast'], ['fast']]);
    await stage.see('fast is saved in /tmp/config.jsonc');
  });

  it('disappear at the first letter, and Enter then runs the line', async () => {
    const stage = await setStage({ setup });
    await stage.see('❯ Ollama');
    stage.press('l');
    await stage.until(() => marked(stage) === undefined);
    stage.press('\x7f');
    await stage.see('git status');
    stage.press('ls\r');
    await stage.until(() => stage.commands.length === 1);
    expect(tested).toEqual([]);
  });

  it('disappear at Esc, and are not shown above a line that is being typed', async () => {
    const stage = await setStage({ setup });
    await stage.see('❯ Ollama');
    stage.press('\x1b');
    stage.clock.advance(1000);
    await stage.until(() => marked(stage) === undefined);
    const looked = Promise.withResolvers<void>();
    const late = async () => {
      await looked.promise;
      return offers;
    };
    const typed = await setStage({ setup: { ...setup, find: late } });
    typed.press('draft');
    await typed.see('draft');
    looked.resolve();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(marked(typed)).toBeUndefined();
  });

  it('are offered where the configured server is down, and fit the smallest screen', async () => {
    const stage = await setStage({
      ...{ columns: 40, rows: 10, problem: async () => 'nothing answers at http://127.0.0.1:9' },
      setup: { ...setup, found: undefined },
    });
    await stage.see('❯ Ollama');
    expect(stage.frame().split('\n')).toHaveLength(10);
    expect(stage.frame()).toContain('↑↓ Enter tests it and uses it');
  });
});

describe('a started key sequence', () => {
  it('is listed after a pause, and the list vanishes with the next key', async () => {
    const stage = await setStage();
    stage.press('\x18');
    await stage.see('Ctrl-X –');
    expect(stage.frame()).not.toContain('Esc cancels');
    stage.clock.advance(300);
    await stage.see('Esc cancels');
    expect(stage.frame()).toMatch(/Ctrl-E\s+edit the line in \$EDITOR/);
    expect(stage.frame()).toMatch(/Ctrl-C\s+abort the run/);
    expect(stage.frame().split('\n')).toHaveLength(24);
    stage.press('\x1b');
    await stage.until(() => !stage.frame().includes('Esc cancels'));
  });

  it('fits the smallest screen', async () => {
    const stage = await setStage({ columns: 40, rows: 10 });
    stage.press('\x18');
    stage.clock.advance(300);
    await stage.see('Esc cancels');
    expect(stage.frame().split('\n')).toHaveLength(10);
  });
});

describe(':keys and :theme', () => {
  it('list the keys that match a word, with their names in the configuration', async () => {
    const stage = await setStage({ columns: 120 });
    stage.press(':keys yank\r');
    await stage.see(/Ctrl-Y\s+yank what was killed last\s+\(prompt\.yank\)/);
    stage.press(':keys nonsense\r');
    await stage.see('no key matches "nonsense"');
  });

  it('change the colours at once, and suggest the nearest name for a wrong one', async () => {
    const stage = await setStage();
    stage.press(':theme lihgt\r');
    await stage.see('did you mean light?');
    stage.press(':theme light\r');
    await stage.see('light for this session');
    stage.press(':theme\r');
    await stage.see('* light');
  });
});

describe('the external editor', () => {
  it('returns the text to the prompt and runs nothing', async () => {
    const stage = await setStage();
    stage.press('ls -la\x18\x05');
    await stage.see('[aish:fast]> ls -la edited');
    expect(stage.commands).toHaveLength(0);
    stage.press('\x1f');
    await stage.see(/\[aish:fast\]> ls -la\s+shell/);
  });
});

describe('the bell', () => {
  async function asked(focus: string) {
    const stage = await setStage();
    stage.press(focus);
    stage.press(':norris tidy up\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('CMD: rm x');
    stage.calls[0]?.end();
    await stage.see('HALT');
    return stage;
  }

  it('rings when a question waits and when a long run has ended', async () => {
    const stage = await asked('\x1b[O');
    expect(stage.written).toEqual(['\x07\x1b]9;aish-tui: a question is waiting for you\x07']);
    await stage.arm();
    stage.clock.advance(20_000);
    stage.answer('a');
    await stage.see('! aborted');
    expect(stage.written.at(-1)).toBe('\x07\x1b]9;aish-tui: the run has ended\x07');
  });

  it('rings when a command of the model waits for input', async () => {
    const stage = await setStage();
    stage.press('\x1b[O');
    stage.press(':norris serve\r');
    await stage.until(() => stage.calls.length === 1);
    stage.calls[0]?.say('CMD: sudo ls');
    stage.calls[0]?.end();
    await stage.until(() => stage.commands.length === 1);
    await stage.see('gives it the keyboard');
    stage.commands[0]?.ask('Password: ', { echoOff: true, asker: 'sudo' });
    await stage.see('waits for you');
    expect(stage.written).toEqual(['\x07\x1b]9;aish-tui: a command is waiting for your input\x07']);
  });

  it('is silent while the terminal reports that it has the focus', async () => {
    const stage = await asked('\x1b[I');
    expect(stage.written).toEqual([]);
  });
});

describe('the wheel', () => {
  it('counts several terminal reports of one turn as one', async () => {
    const stage = await setStage({ rows: 12 });
    for (let line = 0; line < 50; line += 1) stage.screen.warn(`notice ${line}.`);
    await stage.see('notice 49.');
    stage.press('\x1b[<64;1;1M\x1b[<64;1;1M\x1b[<64;1;1M');
    await stage.see('↓ 3 more below');
    stage.clock.advance(16);
    stage.press('\x1b[<64;1;1M');
    await stage.see('↓ 6 more below');
    stage.press('\x1b[<65;1;1M');
    await stage.see('↓ 3 more below');
  });
});
