import { describe, expect, it } from 'vitest';
import type { Form } from '../../src/session/form.ts';
import { type Stage, setStage } from './stage.tsx';

const form: Form = {
  server: 'shop',
  message: 'Where to?',
  fields: [
    { name: 'name', title: 'Name', required: true, initial: '', type: 'text', least: 2 },
    { name: 'age', title: 'Age', required: false, initial: '', type: 'number', whole: true, least: 0, most: 150 },
    { name: 'gift', title: 'Gift', required: false, initial: 'no', type: 'yesno' },
    {
      name: 'colour',
      title: 'Colour',
      required: false,
      initial: '',
      type: 'choice',
      several: false,
      choices: [
        { value: 'r', label: 'red' },
        { value: 'g', label: 'green' },
      ],
    },
  ],
};

async function put(size: { columns?: number; rows?: number } = {}) {
  const stage = await setStage(size);
  const gone = new AbortController();
  const answer = stage.forms.ask(form, gone.signal);
  await stage.see('The MCP server shop asks');
  return { stage, answer, gone };
}

/** Types into the current field and leaves it with Enter. */
async function fill(stage: Stage, heading: string, text: string): Promise<void> {
  await stage.see(heading);
  await stage.until(stage.listens);
  if (text !== '') {
    stage.press(text);
    await stage.see(`› ${text}`);
  }
  stage.press('\r');
}

describe('a form of an MCP server', () => {
  it('takes one field after the other, shows the values, and sends them after a yes', async () => {
    const { stage, answer } = await put();
    stage.press('too early');
    await stage.arm();
    await fill(stage, '1/4 Name (needed): a text, at least 2 characters', 'A');
    await stage.see(/a text, at least 2 characters[\s\S]*a text, at least 2 characters/);
    stage.press('nn');
    await stage.see('› Ann');
    stage.press('\r');
    await fill(stage, '2/4 Age: a whole number, 0 to 150', '');
    await stage.see('3/4 Gift: yes or no');
    await stage.see('› no');
    await stage.until(stage.listens);
    stage.press('\t');
    await fill(stage, '4/4 Colour: one of: 1 red, 2 green', '2');
    await stage.see('Name (needed): "Ann"');
    expect(stage.frame()).toContain('Age: –');
    expect(stage.frame()).toContain('Colour: "2"');
    expect(stage.frame()).toMatch(/p\W+send.*s\W+decline.*a\W+cancel/);
    stage.answer('p');
    expect(await answer).toEqual({ action: 'accept', content: { name: 'Ann', gift: false, colour: 'g' } });
    expect(stage.engine.state.questions).toEqual([]);
  });

  it('is not sent while a field is missing, and goes to that field', async () => {
    const { stage } = await put();
    await stage.arm();
    await stage.until(stage.listens);
    stage.press('\x1b');
    await stage.see('Name (needed): –');
    stage.answer('p');
    await stage.see('an answer is required');
    expect(stage.engine.state.questions).toHaveLength(1);
  });

  it('is declined by the user, or cancelled when its server or the user gives up', async () => {
    const declined = await put();
    await declined.stage.arm();
    await declined.stage.until(declined.stage.listens);
    declined.stage.press('\x1b');
    await declined.stage.see(/s\W+decline/);
    declined.stage.answer('s');
    expect(await declined.answer).toEqual({ action: 'decline' });

    const withdrawn = await put();
    withdrawn.gone.abort();
    expect(await withdrawn.answer).toEqual({ action: 'cancel' });
    expect(withdrawn.stage.engine.state.questions).toEqual([]);
  });

  it('keeps typed values out of the journal, and is gone after a resume', async () => {
    const { stage, answer } = await put();
    const journaled: string[] = [];
    stage.engine.onEvent((event) => journaled.push(JSON.stringify(event)));
    await stage.arm();
    await fill(stage, '1/4 Name', 'Ann');
    await stage.see('2/4 Age');
    expect(journaled.join()).not.toContain('Ann');
    const { settings } = stage.engine.conversation;
    void stage.engine.dispatch({ type: 'resumed', settings });
    expect(await answer).toEqual({ action: 'cancel' });
    expect(stage.engine.state.questions).toEqual([]);
  });

  it('fits 40×10', async () => {
    const { stage } = await put({ columns: 40, rows: 10 });
    expect(stage.frame().split('\n')).toHaveLength(10);
    await stage.arm();
    await stage.until(stage.listens);
    stage.press('\x1b');
    await stage.see(/p\W+send/);
    expect(stage.frame().split('\n')).toHaveLength(10);
    expect(stage.frame()).toContain('Name (needed)');
  });
});
