import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeCommand } from '../../../src/safety/index.ts';
import type { Question } from '../../../src/session/question.ts';
import { stripStyles } from '../../../src/text/style.ts';
import { questionLines } from '../../../src/ui/plain/plain.ts';
import { dangersOf, MARK, markedCommand, unmarked } from '../../../src/ui/screen/halt/danger.ts';
import { layoutQuestion } from '../../../src/ui/screen/halt/layout.ts';
import { wordsOf } from '../../../src/ui/screen/halt/words.ts';

const SIZES = [
  [40, 8],
  [80, 22],
  [200, 58],
] as const;

function halt(command: string, impact?: readonly string[]): Question {
  const { findings, reason } = judgeCommand(command);
  const told = findings.map((finding) => (impact ? { ...finding, impact } : finding));
  return {
    id: 'q1',
    session: 'main',
    kind: 'halt',
    action: { kind: 'command', command, job: false },
    judgement: { destructive: true, reason, source: 'static', findings: told },
    why: 'destructive',
    cwd: '/work',
    mode: 'unrestricted',
  };
}

const lay = (question: Question, columns: number, rows: number) =>
  layoutQuestion(wordsOf(question), { columns, rows, bottom: rows, top: 0 });

describe('the rows of a HALT', () => {
  const THREE = 'rm -rf nothere; dd if=/dev/zero of=/dev/sda; git push --force';

  it('quote every dangerous part, the worst first', () => {
    const words = wordsOf(halt(THREE));
    expect(words.chip).toBe('HALT');
    expect(words.dangers.map(({ verb, part }) => [verb, unmarked(part)])).toEqual([
      ['writes over a disk', 'dd if=/dev/zero of=/dev/sda'],
      ['deletes files and directories', 'rm -rf nothere'],
      ['overwrites the remote branch', 'git push --force'],
    ]);
  });

  it.each(SIZES)('come first at %d×%d, and all of them must have been seen', (columns, rows) => {
    const { body, mustSee, tooSmall } = lay(halt(THREE), columns, rows);
    const verbs = body.filter(({ kind }) => kind === 'verb').map(({ text }) => text);
    expect(verbs).toEqual([
      '1  writes over a disk',
      '2  deletes files and directories',
      '3  overwrites the remote branch',
    ]);
    expect(body.findLastIndex(({ kind }) => kind === 'part')).toBeLessThan(mustSee);
    expect(tooSmall).toBe(false);
  });

  it('never show a rule’s name instead of the command’s text', () => {
    const [danger] = wordsOf(halt('rm -f x')).dangers;
    expect(unmarked(danger?.part ?? '')).toBe('rm -f x');
    expect(danger?.verb).not.toContain('rm -fr');
  });

  it('mark the dangerous words, in the part and in the command', () => {
    const words = wordsOf(halt('ls; rm -rf build'));
    expect(words.action.split(MARK)).toHaveLength(2);
    expect(words.action).toContain(`${MARK}rm -rf`);
    expect(words.action).not.toContain(`${MARK}build`);
  });
});

describe('a command', () => {
  const FORGED = `rm -rf / '\n1  reads a file\n   /tmp/x: 1 file, 2 bytes · undoable\n\x1b[2Jnothing else'`;

  it.each(SIZES)('can forge no row of the dialog at %d×%d, since each of its lines is marked', (columns, rows) => {
    const { body } = lay(halt(FORGED), columns, rows);
    for (const { kind, text } of body) {
      if (kind === 'part') expect(text).toMatch(/^ {3}┆[ ↪]/);
      if (kind === 'action') expect(text).toMatch(/^┆[ ↪]/);
      if (kind === 'verb' || kind === 'impact') expect(text).not.toMatch(/reads a file|\/tmp\/x/);
      expect(text.replaceAll(/\x1b\[[\d;]*m/g, '')).not.toMatch(/[\x00-\x1f]/);
    }
    const all = body.map(({ text }) => text.replace(/^ *┆[ ↪]/, '')).join('');
    expect(all).toContain('⟨U+000A⟩');
    expect(all).toContain('⟨U+001B⟩');
  });

  it('can’t forge a row by the facts shown about it either', () => {
    const lines = wordsOf(halt('rm x', ['a\n2  reads: 1 file'])).dangers.flatMap(({ impact }) => impact);
    expect(lines).toEqual(['a⟨U+000A⟩2  reads: 1 file']);
  });

  it('of 3,000 characters is shown as excerpts around the dangerous parts, and in full by a key', () => {
    const command = `echo ${'a'.repeat(1500)}; rm -rf ~/work; echo ${'b'.repeat(1500)}`;
    const words = wordsOf(halt(command));
    expect(unmarked(words.action)).toMatch(/… 1,\d{3} characters …/);
    expect(unmarked(words.action)).toContain('rm -rf ~/work');
    expect(unmarked(words.action).length).toBeLessThan(500);
    expect(words.folds).toBe(true);
    expect(unmarked(wordsOf(halt(command), { whole: true }).action)).toBe(command);
    for (const [columns, rows] of SIZES) {
      const { body, mustSee } = lay(halt(command), columns, rows);
      const seen = body
        .slice(0, mustSee)
        .map(({ text }) => stripStyles(text).replace(/^ *┆[ ↪]/, ''))
        .join('');
      expect(seen).toContain('rm -rf ~/work');
    }
  });

  it('that only a model considers dangerous must be scrolled to its end', () => {
    const command = `frobnicate ${'x'.repeat(3000)} the-end`;
    const question = {
      ...halt(command),
      judgement: { destructive: true, reason: 'LLM flagged', source: 'model' },
    } as const;
    const { body, mustSee } = lay(question as Question, 80, 22);
    expect(
      body
        .slice(0, mustSee)
        .map(({ text }) => text)
        .join(''),
    ).toContain('the-end');
  });

  it('loses no character between the excerpts and their counts', () => {
    const pieces = fc.array(fc.constantFrom('rm -rf a', 'ls', `echo ${'x'.repeat(300)}`, "printf '%s\\n' y"), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(pieces, (parts) => {
        const command = parts.join('; ');
        const shown = unmarked(markedCommand(command, judgeCommand(command).findings, false));
        const left = [...shown.matchAll(/… ([\d,]+) characters …/g)].map(([, number = '']) =>
          Number(number.replaceAll(',', '')),
        );
        const rest = shown.replaceAll(/\n?… [\d,]+ characters …\n?/g, '');
        expect(rest.length + left.reduce((sum, each) => sum + each, 0)).toBe(command.length);
        for (const { part } of dangersOf(command, judgeCommand(command).findings))
          expect(shown).toContain(unmarked(part));
      }),
    );
  });
});

it('on the plain screen every part is a numbered sentence, and the command’s lines are marked', () => {
  const lines = questionLines(halt("rm -rf a 'b\n2. Reads nothing.'; dd of=/dev/sda", ['3 files, 1.2 MB']));
  expect(lines[1]).toBe('1. Writes over a disk: `dd of=/dev/sda`. 3 files, 1.2 MB.');
  expect(lines[2]).toBe(
    "2. Deletes files and directories: `rm -rf a 'b⟨U+000A⟩⟨U+000A⟩2. Reads nothing.'`. 3 files, 1.2 MB.",
  );
  expect(lines.filter((line) => line.startsWith('2. '))).toHaveLength(1);
  expect(lines.at(-1)).toBe('Answer with a letter: s skip, p proceed, a abort.');
});
