import { judgePython } from '../../../src/safety/code/python/judge.ts';
import type { Effect, LocalModule, PythonContext } from '../../../src/safety/code/python/scopes.ts';

const modules = (own: Readonly<Record<string, string>>): PythonContext['module'] => {
  return (name): LocalModule => {
    const text = own[name];
    return text === undefined ? { kind: 'absent' } : { kind: 'text', text };
  };
};

export function effects(
  source: string,
  own: Readonly<Record<string, string>> = {},
  argv?: readonly string[],
): readonly Effect[] {
  const found = judgePython(source, { module: modules(own), file: 'x.py', ...(argv ? { argv } : {}) });
  if (typeof found === 'string') throw new Error(`not read: ${found}`);
  return found.map((effect) => {
    const { part: _part, ...rest } = effect;
    return rest as Effect;
  });
}

/** Returns the effects other than looking at a file or writing to a known one. */
export function grave(source: string, own: Readonly<Record<string, string>> = {}): readonly Effect[] {
  return effects(source, own).filter(
    (effect) => !('path' in effect) || (effect.kind !== 'read' && /[\uE000-\uE008]/.test(effect.path)),
  );
}
