import { destructive, type StaticVerdict, unknown, worse } from './verdict.ts';

/**
 * Patterns on raw text, for what does not parse or is beyond the limits. Biased to alarm: quoting is not understood.
 */
const RAW: readonly (readonly [RegExp, string])[] = [
  [/\brm\s+(-\S+\s+)*-\w*[rR]/, 'rm -rf'],
  [/\brm\s+(-\S+\s+)*-\w*f/, 'rm -fr'],
  [/\b(rm|unlink|rmdir|shred)\s+\S/, 'rm'],
  [/\bfind\s[^\n]{0,400}-delete\b/, 'find -delete'],
  [/\bfind\s[^\n]{0,400}-exec(dir)?\s+\S*rm\b/, 'find -exec rm'],
  [/>\s*\/dev\/(sd|hd|vd|nvme|mmcblk|disk|mapper)/, 'write to raw disk'],
  [/\bdd\s[^\n]{0,400}\bof=\/dev\//, 'dd to device'],
  [/\bmkfs(\.\w+)?\s/, 'mkfs (format)'],
  [/\bwipefs\s/, 'wipefs'],
  [/\btruncate\s/, 'truncate to zero'],
  [/\bgit\s[^\n]{0,200}\bpush\s[^\n]{0,200}--force/, 'git push --force'],
  [/\bgit\s[^\n]{0,200}\bpush\s[^\n]{0,200}\s-\w*f\b/, 'git push -f'],
  [/\bgit\s[^\n]{0,200}\breset\s[^\n]{0,200}--hard/, 'git reset --hard'],
  [/\bgit\s[^\n]{0,200}\bclean\s[^\n]{0,200}-\w*f/, 'git clean -fd'],
  [/\bgit\s[^\n]{0,200}\bbranch\s[^\n]{0,200}-D\b/, 'git branch -D'],
  [/\bdrop\s+table\b/i, 'DROP TABLE'],
  [/\bdrop\s+(database|schema)\b/i, 'DROP DATABASE'],
  [/\btruncate\s+table\b/i, 'TRUNCATE TABLE'],
  [/\bkill\s+(-\S+\s+)*-(9|KILL|SIGKILL)\b/, 'kill -9'],
  [/\bp?killall?\s+(-\S+\s+)*-(9|KILL)\b|\bpkill\s/, 'pkill -9'],
  [/\bchmod\s+(-\S+\s+)*0?777\b/, 'chmod 777'],
  [/\bchown\s[^\n]{0,200}\s\/(\s|$)/, 'chown on root path'],
  [/\b(curl|wget)\b[^\n]{0,1000}\|\s*(sudo\s+)?(ba|z|da|k)?sh\b/, 'curl | sh'],
  [/\b(shutdown|reboot|poweroff|halt)\b/, 'shutdown'],
  [/(^|[^>=&\d-])>\|?\s*[\w./~"'$]/, 'truncating redirection'],
];

/** Longest raw text that is searched at both ends; what lies between can't make it better than unknown. */
const WINDOW_CHARS = 400_000;

/** The verdict on text that can't be taken apart: destructive or unknown, never harmless. */
export function judgeByPatterns(text: string, why: string): StaticVerdict {
  const start = text.length > 2 * WINDOW_CHARS ? text.length - WINDOW_CHARS : 0;
  const windows = start > 0 ? [text.slice(0, WINDOW_CHARS), text.slice(start)] : [text];
  let verdict = unknown(why, { unresolved: true });
  for (const [index, window] of windows.entries()) {
    for (const [pattern, rule] of RAW) {
      const found = pattern.exec(window);
      const at = (found?.index ?? 0) + (index === 1 ? start : 0);
      if (found) verdict = worse(verdict, destructive(rule, rule, [at, at + found[0].length]));
    }
  }
  return verdict;
}
