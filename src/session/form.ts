/** A form from an MCP server: flat, with simple fields. The user types each value as text; this module parses it. */

export type Form = {
  readonly server: string;
  readonly message: string;
  readonly fields: readonly FormField[];
};

export type FormField = {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly required: boolean;
  /** The initial value of the field. */
  readonly initial: string;
} & (
  | { readonly type: 'text'; readonly least?: number; readonly most?: number; readonly format?: string }
  | { readonly type: 'number'; readonly whole: boolean; readonly least?: number; readonly most?: number }
  | { readonly type: 'yesno' }
  | { readonly type: 'choice'; readonly choices: readonly FormChoice[]; readonly several: boolean }
);

export type FormChoice = { readonly value: string; readonly label: string };

type Value = string | number | boolean | readonly string[];
export type FormContent = Readonly<Record<string, Value>>;

export type FormAnswer =
  | { readonly action: 'accept'; readonly content: FormContent }
  | { readonly action: 'decline' | 'cancel' };

/** Returns the values for the server, or the first invalid field with the reason. Empty values are omitted. */
export function readForm(
  { fields }: Form,
  texts: readonly string[],
): { readonly content: FormContent } | { readonly at: number; readonly problem: string } {
  const content: (readonly [string, Value])[] = [];
  for (const [at, field] of fields.entries()) {
    const read = readValue(field, texts[at] ?? '');
    if ('problem' in read) return { at, problem: read.problem };
    if (read.value !== undefined) content.push([field.name, read.value]);
  }
  return { content: Object.fromEntries(content) };
}

/** Returns what is wrong with a value; undefined if it is valid. */
export function valueProblem(field: FormField, text: string): string | undefined {
  const read = readValue(field, text);
  return 'problem' in read ? read.problem : undefined;
}

type Read = { readonly value: Value | undefined } | { readonly problem: string };

function readValue(field: FormField, given: string): Read {
  const text = given.trim();
  if (text === '') return field.required ? { problem: 'an answer is required' } : { value: undefined };
  switch (field.type) {
    case 'text':
      return within(text.length, field) ? { value: text } : { problem: wanted(field) };
    case 'number': {
      const number = Number(text);
      const fits = Number.isFinite(number) && (!field.whole || Number.isInteger(number)) && within(number, field);
      return fits ? { value: number } : { problem: wanted(field) };
    }
    case 'yesno':
      if (/^(?:y|yes|true|1)$/i.test(text)) return { value: true };
      return /^(?:n|no|false|0)$/i.test(text) ? { value: false } : { problem: wanted(field) };
    case 'choice': {
      const parts = field.several ? text.split(',').map((part) => part.trim()) : [text];
      const values = parts.filter((part) => part !== '').map((part) => choiceOf(field.choices, part));
      if (values.includes(undefined)) return { problem: wanted(field) };
      const found = values.filter((value) => value !== undefined);
      return { value: field.several ? found : found[0] };
    }
  }
}

/** Finds a choice by its value, label, or number in the list. */
function choiceOf(choices: readonly FormChoice[], text: string): string | undefined {
  const same = (word: string) => word.toLowerCase() === text.toLowerCase();
  const found = choices.find(({ value, label }) => same(value) || same(label));
  return (found ?? (/^\d+$/.test(text) ? choices[Number(text) - 1] : undefined))?.value;
}

function within(size: number, { least, most }: { readonly least?: number; readonly most?: number }): boolean {
  return size >= (least ?? Number.NEGATIVE_INFINITY) && size <= (most ?? Number.POSITIVE_INFINITY);
}

/** Describes to the user what a field accepts. */
export function wanted(field: FormField): string {
  switch (field.type) {
    case 'text':
      return `a text${field.format === undefined ? '' : ` (${field.format})`}${range(field, ' characters')}`;
    case 'number':
      return `a ${field.whole ? 'whole ' : ''}number${range(field, '')}`;
    case 'yesno':
      return 'yes or no';
    case 'choice': {
      const list = field.choices.map(({ label }, index) => `${index + 1} ${label}`).join(', ');
      return `${field.several ? 'any of, with commas' : 'one of'}: ${list}`;
    }
  }
}

function range({ least, most }: { readonly least?: number; readonly most?: number }, unit: string): string {
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}${unit}`;
  if (least !== undefined) return `, at least ${least}${unit}`;
  return most === undefined ? '' : `, at most ${most}${unit}`;
}
