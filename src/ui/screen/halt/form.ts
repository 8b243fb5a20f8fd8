/** A server's form on screen: one field after the other is typed, then all are looked over and sent or not. Pure. */
import { type FormField, readForm, valueProblem, wanted } from '../../../session/form.ts';
import type { Question } from '../../../session/question.ts';
import { visible } from '../../../text/sanitize.ts';
import type { TreeLine } from './changes.ts';

type FormQuestion = Extract<Question, { kind: 'form' }>;

export type FormUi = {
  /** What stands in each field. */
  readonly values: readonly string[];
  /** The field in hand. */
  readonly at: number;
  /** What is wrong with it. */
  readonly problem?: string;
};

/** The form as it is put, and what stands in its first field, if it has one. */
export function beginForm({ fields }: FormQuestion): { readonly form: FormUi; readonly edit?: string } {
  const values = fields.map(({ initial }) => initial);
  const [first] = values;
  return { form: { values, at: 0 }, ...(first === undefined ? {} : { edit: first }) };
}

/** A field was typed: on to the next one, or to the end; one that does not fit is kept in hand. */
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

/** To another field, taking what was typed as it is; beyond the last one, to the end. */
export function moveTo({ values }: FormUi, at: number): { readonly form: FormUi; readonly edit: string | undefined } {
  const to = Math.max(0, at);
  return { form: { values, at: Math.min(to, Math.max(0, values.length - 1)) }, edit: values[to] };
}

/** What is to be sent, or the field that keeps it from being sent. */
export function closeForm(question: FormQuestion, { values }: FormUi) {
  const read = readForm(question, values);
  if ('content' in read) return read;
  return { form: { values, at: read.at, problem: read.problem }, edit: values[read.at] ?? '' };
}

/** The line above the field in hand: which it is and what it takes. */
export function fieldHeading({ fields }: FormQuestion, { at, problem }: FormUi): readonly string[] {
  const field = fields[at];
  if (!field) return [];
  const name = `${at + 1}/${fields.length} ${visible(field.title)}${field.required ? ' (needed)' : ''}`;
  const about = field.description === undefined ? '' : ` · ${visible(field.description)}`;
  return [`${name}: ${visible(wanted(field))}${about}`, ...(problem === undefined ? [] : [visible(problem)])];
}

/** All fields with what stands in them. */
export function formTree({ fields }: FormQuestion, { values }: FormUi): readonly TreeLine[] {
  return fields.map((field, index) => ({ text: fieldLine(field, values[index] ?? ''), indent: '  ┊ ' }));
}

function fieldLine({ title, required }: FormField, value: string): string {
  return `${visible(title)}${required ? ' (needed)' : ''}: ${value === '' ? '–' : visible(JSON.stringify(value))}`;
}
