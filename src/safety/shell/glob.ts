import { QUOTE } from './taint.ts';

/**
 * A shell pattern as an anchored regular expression. Stars are merged and counted so that a hostile pattern can't
 * make the matcher backtrack for long; too many stars match everything.
 */
export function globToRegExp(pattern: string): RegExp {
  let out = '';
  let stars = 0;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern.charAt(i);
    if (c === QUOTE || c === '\\') {
      i++;
      out += literally(pattern.charAt(i));
    } else if (c === '*') {
      if (pattern[i - 1] !== '*') {
        out += '[\\s\\S]*';
        stars++;
      }
    } else if (c === '?') out += '[\\s\\S]';
    else if (c === '[') {
      const end = pattern.indexOf(']', i + 2);
      if (end < 0) out += '\\[';
      else {
        const body = pattern.slice(i + 1, end).replaceAll(QUOTE, '');
        const negated = body.startsWith('!') || body.startsWith('^');
        out += bracket(negated ? body.slice(1) : body, negated);
        i = end;
      }
    } else out += literally(c);
  }
  if (stars > 6 || out.length > 2000) return /^/;
  return new RegExp(`^${out}$`);
}

function bracket(body: string, negated: boolean): string {
  const safe = body.replace(/[\\\]^]/g, '\\$&');
  try {
    const source = `[${negated ? '^' : ''}${safe}]`;
    new RegExp(source);
    return source;
  } catch {
    return '[\\s\\S]';
  }
}

function literally(c: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(c) ? `\\${c}` : c;
}
