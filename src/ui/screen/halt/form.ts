/** A server's form on screen: the fields are filled in one after the other, then reviewed and sent. Pure. */
import { type FormField, readForm, valueProblem, wanted } from '../../../session/form.ts';
import type { Question } from '../../../session/question.ts';
import { visible } from '../../../text/sanitize.ts';
import type { TreeLine } from './changes.ts';

type FormQuestion = Extract<Question, { kind: 'form' }>;

export type FormUi = {
  /** The text of each field. */
  readonly values: readonly string[];
  /** The index of the current field. */
  readonly at: number;
  /** Why the current field's text is wrong. */
  readonly problem?: string;
};

/** Returns the form, and the text of its first field, if it has one. */
export function beginForm({ fields }: FormQuestion): { readonly form: FormUi; readonly edit?: string } {
  const values = fields.map(({ initial }) => initial);
  const [first] = values;
  return { form: { values, at: 0 }, ...(first === undefined ? {} : { edit: first }) };
}

/** Takes the text of a field and goes to the next one, or to the end; a wrong text keeps the field open. */
export function takeField(
  { fields }: FormQuestion,
  { values, at }: FormUi,
  text: string,
): { readonly form: FormUi; readonly edit: string | undefined } {
  const field = fields[at];
  const problem = field && valueProblem(field, text);
  const next = { values: values.with(at, text), at };
  if (problem !== undefined) return { form: { ...next, problem }, edit: text };
  return moveTo(next, at + 1);
}

/** Goes to another field and takes the text unchecked; beyond the last field, to the end. */
export function moveTo({ values }: FormUi, at: number): { readonly form: FormUi; readonly edit: string | undefined } {
  const to = Math.max(0, at);
  return { form: { values, at: Math.min(to, Math.max(0, values.length - 1)) }, edit: values[to] };
}

/** Returns the content to send, or the first field with a wrong value. */
export function closeForm(question: FormQuestion, { values }: FormUi) {
  const read = readForm(question, values);
  if ('content' in read) return read;
  return { form: { values, at: read.at, problem: read.problem }, edit: values[read.at] ?? '' };
}

/** Returns the line above the current field: its name and the values that it takes. */
export function fieldHeading({ fields }: FormQuestion, { at, problem }: FormUi): readonly string[] {
  const field = fields[at];
  if (!field) return [];
  const name = `${at + 1}/${fields.length} ${visible(field.title)}${field.required ? ' (needed)' : ''}`;
  const about = field.description === undefined ? '' : ` · ${visible(field.description)}`;
  return [`${name}: ${visible(wanted(field))}${about}`, ...(problem === undefined ? [] : [visible(problem)])];
}

/** Returns all fields with their texts. */
export function formTree({ fields }: FormQuestion, { values }: FormUi): readonly TreeLine[] {
  return fields.map((field, index) => ({ text: fieldLine(field, values[index] ?? ''), indent: '  ┊ ' }));
}

function fieldLine({ title, required }: FormField, value: string): string {
  return `${visible(title)}${required ? ' (needed)' : ''}: ${value === '' ? '–' : visible(JSON.stringify(value))}`;
}
