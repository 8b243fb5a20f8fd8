import { describe, expect, it } from 'vitest';
import { foreignProblemOf, problemOf } from '../../src/tools/validator.ts';

const text = (more: object) => ({ type: 'object', properties: { a: { type: 'string', ...more } } });

/** Returns a schema in which each definition refers twice to the next one: 2^40 checks. */
function doubling(): Record<string, unknown> {
  const $defs: Record<string, unknown> = { d40: { type: 'string' } };
  for (let n = 0; n < 40; n += 1) {
    const next = { $ref: `#/$defs/d${n + 1}` };
    $defs[`d${n}`] = { allOf: [next, next] };
  }
  return { type: 'object', $defs, properties: { a: { $ref: '#/$defs/d0' } } };
}

function nested(depth: number): Record<string, unknown> {
  let schema: Record<string, unknown> = { type: 'string' };
  for (let n = 0; n < depth; n += 1) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

describe('a schema sent by a server', () => {
  it.each([
    ['a pattern', text({ pattern: '^a+$' }), 'aab', 'arguments/a must match pattern "^a+$"'],
    ['a format', text({ format: 'email' }), 'nobody', 'arguments/a must match format "email"'],
    [
      'draft-07, named',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: { a: { type: 'array', items: [{ type: 'string' }] } },
      },
      [5],
      'arguments/a/0 must be string',
    ],
    ['2020-12, by default', { properties: { a: { prefixItems: [{ type: 'string' }] } } }, [5], /a\/0 must be string/],
    [
      '2019-09, named',
      { $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } },
      1,
      /must have property b/,
    ],
    ['draft-07, not named', { properties: { a: { items: [{ type: 'string' }] } } }, [5], /a\/0 must be string/],
  ])('has its keywords checked: %s', (_what, schema, value, problem) => {
    expect(foreignProblemOf(schema, { a: value })).toMatch(problem);
  });

  it.each([
    ['a pattern of exponential time', text({ pattern: '^(a+)+$' }), `${'a'.repeat(40)}b`],
    ['checks that double at every step', doubling(), 'x'],
    ['20,000 levels', nested(20_000), 5],
    ['a reference to elsewhere', { properties: { a: { $ref: 'http://127.0.0.1:1/x' } } }, 5],
    ['an unknown dialect', { $schema: 'urn:mine', type: 5 }, 5],
    ['a broken pattern', text({ pattern: '(' }), 'x'],
  ])('neither hangs nor throws, and the call passes: %s', (_what, schema, value) => {
    expect(foreignProblemOf(schema, { a: value })).toBeUndefined();
  });

  it('is reported in a message of bounded length', () => {
    const required = Array.from({ length: 5000 }, (_, n) => `field-${n}`);
    expect(foreignProblemOf({ type: 'object', required }, {})?.length).toBeLessThan(1100);
  });
});

it('a broken schema of the program itself throws', () => {
  expect(() => problemOf(text({ pattern: '(' }), { a: 'x' })).toThrow('Invalid regular expression');
});
