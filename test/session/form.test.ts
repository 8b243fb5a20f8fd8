import { describe, expect, it } from 'vitest';
import { type FormField, readForm, wanted } from '../../src/session/form.ts';
import { Machine } from '../support/machine.ts';

const base = { name: 'x', title: 'X', required: false, initial: '' } as const;
const text: FormField = { ...base, type: 'text', least: 2, most: 4 };
const whole: FormField = { ...base, type: 'number', whole: true, least: 1 };
const yesno: FormField = { ...base, type: 'yesno' };
const choices = [
  { value: 'r', label: 'red' },
  { value: 'g', label: 'green' },
];
const one: FormField = { ...base, type: 'choice', several: false, choices };
const many: FormField = { ...base, type: 'choice', several: true, choices };

describe('a value typed into a form', () => {
  it.each([
    [text, ' abc ', 'abc'],
    [text, 'a', 'a text, 2 to 4 characters'],
    [whole, '7', 7],
    [whole, '1.5', 'a whole number, at least 1'],
    [whole, '0', 'a whole number, at least 1'],
    [whole, 'x', 'a whole number, at least 1'],
    [yesno, 'Y', true],
    [yesno, 'no', false],
    [yesno, 'maybe', 'yes or no'],
    [one, 'GREEN', 'g'],
    [one, 'r', 'r'],
    [one, '1', 'r'],
    [one, '3', 'one of: 1 red, 2 green'],
    [many, 'green, 1', ['g', 'r']],
    [many, 'green, blue', 'any of, with commas: 1 red, 2 green'],
    [one, '', undefined],
    [{ ...one, required: true }, ' ', 'an answer is required'],
  ] as const)('for %j is parsed from %j or refused with a reason', (field, given, expected) => {
    const read = readForm({ server: 's', message: 'm', fields: [field] }, [given]);
    expect('content' in read ? read.content.x : read.problem).toEqual(expected);
  });

  it('is refused by the first field that does not fit, with what would fit', () => {
    const fields = [text, { ...whole, name: 'y' }];
    expect(readForm({ server: 's', message: 'm', fields }, ['ab', 'x'])).toMatchObject({ at: 1 });
    expect(wanted({ ...base, type: 'text', format: 'email' })).toBe('a text (email)');
  });
});

describe('an open form', () => {
  it('survives the run in which it came, until it is answered or its server is gone', () => {
    const machine = new Machine();
    const open = () => machine.state.questions.map((question) => question.kind === 'form' && question.form);
    machine.send({ type: 'asked', line: 'l', text: 'hello' });
    for (const form of ['f1', 'f2'])
      machine.send({ type: 'formAsked', form, server: 's', message: 'who?', fields: [] });
    machine.says('done');
    expect(machine.phase.kind).toBe('idle');
    expect(open()).toEqual(['f1', 'f2']);
    machine.send({ type: 'asked', line: 'l2', text: 'again' });
    machine.send({ type: 'aborted' });
    expect(open()).toEqual(['f1', 'f2']);
    machine.answers('proceed');
    expect(open()).toEqual(['f2']);
    machine.send({ type: 'formGone', form: 'f2' });
    expect(open()).toEqual([]);
  });
});
