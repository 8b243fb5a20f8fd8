/** The arguments of `patch` (TO-2): their description for the model, and as typed values. */

import type { ToolSpec } from '../../session/message.ts';
import { isJsonObject } from '../../text/json.ts';

const OPERATIONS = ['replace', 'insert_before', 'insert_after', 'append_eof', 'prepend_bof', 'overwrite'] as const;

type Operation = (typeof OPERATIONS)[number];

export type Patch = {
  readonly operation: Operation;
  readonly oldText?: string;
  readonly newText?: string;
  readonly replaceAll?: boolean;
};

/** The maximum bytes of `oldText` and `newText` in one call. */
export const MAX_INPUT_BYTES = 60 * 1024;
/** The maximum bytes of the file before and after. Larger ones are rarely text that a person edits. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024;
/** Limits the search in a large file to seconds at worst. */
const MAX_PATCHES = 100;

export const PATCH: ToolSpec = {
  name: 'patch',
  description:
    'Change or create one text file. Patches refer to the file before the call, may not overlap, and all apply or ' +
    'none. replace: oldText, found exactly once (or replaceAll), becomes newText. insert_before, insert_after: newText ' +
    'goes next to oldText as given: bring line breaks. append_eof, prepend_bof: newText becomes lines of its own. ' +
    'overwrite: newText becomes the whole file; alone in its call. Copy oldText exactly, with enough lines to be ' +
    'unique. Line endings, mode and owner are kept. overwrite, append_eof and prepend_bof create a file, but no ' +
    'directory. At most 60 KB. Returns a diff. Disabled in Restricted mode; in Project only within the project.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1, description: 'Relative to the working directory.' },
      patches: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_PATCHES,
        items: {
          type: 'object',
          properties: {
            operation: { type: 'string', enum: OPERATIONS },
            oldText: { type: 'string', description: 'For replace, insert_before, insert_after.' },
            newText: { type: 'string', description: 'Empty: oldText is removed.' },
            replaceAll: { type: 'boolean', description: 'Every occurrence of oldText.' },
          },
          required: ['operation'],
          additionalProperties: false,
        },
      },
    },
    required: ['path', 'patches'],
    additionalProperties: false,
  },
};

export type PatchCall = { readonly path: string; readonly patches: readonly Patch[] };

/** Returns the arguments as typed values; undefined if they don't match the schema. */
export function readCall(args: unknown): PatchCall | undefined {
  if (!isJsonObject(args) || typeof args.path !== 'string' || args.path === '') return undefined;
  if (!Array.isArray(args.patches) || args.patches.length === 0 || args.patches.length > MAX_PATCHES) return undefined;
  const patches = args.patches.map(readPatch);
  const whole = patches.filter((patch) => patch !== undefined);
  return whole.length === patches.length ? { path: args.path, patches: whole } : undefined;
}

function readPatch(value: unknown): Patch | undefined {
  if (!isJsonObject(value)) return undefined;
  const { oldText, newText, replaceAll } = value;
  const operation = OPERATIONS.find((name) => name === value.operation);
  if (operation === undefined) return undefined;
  if (oldText !== undefined && typeof oldText !== 'string') return undefined;
  if (newText !== undefined && typeof newText !== 'string') return undefined;
  return {
    operation,
    ...(oldText === undefined ? {} : { oldText }),
    ...(newText === undefined ? {} : { newText }),
    replaceAll: replaceAll === true,
  };
}

const needsOldText = (operation: Operation): boolean =>
  operation === 'replace' || operation === 'insert_before' || operation === 'insert_after';

/** Returns why a patch is invalid for any text of the file; undefined if it is valid. */
export function shapeProblem(patch: Patch, exists: boolean): string | undefined {
  const { operation, oldText, newText } = patch;
  if (newText === undefined) return operation === 'replace' ? 'needs newText ("" removes oldText)' : 'needs newText';
  if (!newText.isWellFormed() || newText.includes('\0'))
    return 'newText is not text: it holds a NUL or half a character';
  if (!needsOldText(operation)) {
    // A model that gives oldText with overwrite means replace; overwriting would lose the rest of the file.
    if (oldText) return `${operation} takes no oldText; did you mean replace?`;
    return patch.replaceAll ? `${operation} takes no replaceAll` : undefined;
  }
  if (!oldText) return 'needs oldText: the text in the file that it applies to';
  if (!oldText.isWellFormed()) return 'oldText holds half a character';
  return exists ? undefined : 'there is no such file; create it with overwrite';
}
