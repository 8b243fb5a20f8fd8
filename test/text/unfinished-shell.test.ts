import { describe, expect, it } from 'vitest';
import { ShellLines } from '../../src/text/shell.ts';

function unfinished(text: string) {
  const shell = new ShellLines();
  for (const line of text.split('\n')) shell.read(line);
  return shell.unfinished;
}

describe('a shell command', () => {
  it.each([
    ["cat > f <<'EOF'", 'here-document'],
    ["cat > f <<'EOF'\none\n EOF", 'here-document'],
    ['cat <<-EOF\n\tEOF \n', 'here-document'],
    ['cat <<A <<B\nA', 'here-document'],
    ['cat <<EOF\nE\\\nEOF', 'here-document'],
    ['x=$(cat <<EOF', 'here-document'],
    ["echo 'a", 'quote'],
    ['echo "a $(date', 'quote'],
    ['echo `date', 'quote'],
    ["echo $'it\\'s", 'quote'],
    ['echo ${x', 'quote'],
    ['make \\', 'continuation'],
    ['make &&', 'continuation'],
    ['make | # and then', 'continuation'],
    ['f()', 'continuation'],
    ['for f in *; do', 'compound command'],
    ['if true; then ls', 'compound command'],
    ['case $x in\na) ls;;', 'compound command'],
    ['{ ls', 'compound command'],
    ['(cd src', 'compound command'],
    ['a=(1 2', 'compound command'],
    ['[[ a == b', 'compound command'],
  ])('%j is unfinished: %s', (text, what) => {
    expect(unfinished(text)).toBe(what);
  });

  it.each([
    "cat > f <<'EOF'\none `\" '\nEOF",
    'cat <<-EOF\n\tone\n\tEOF',
    'cat <<A <<B\nA\nB',
    'cat <<< "$x"',
    'echo $((1 << 3)) $((16#ff))',
    "echo it\\'s # it's a comment \\",
    "echo \"it's ${x:-a'b'}\" '\"'",
    'for f in if case do; do echo $f; done',
    'case $x in a|b) ls;; (c) case y in z) ls; esac;; esac',
    'if [[ $a =~ ^(x|y)$ && ! -f z ]]; then ls; elif true; then { ls; }; fi',
    'while read -r l; do echo "$l"; done < <(ls) 2>&1 | wc',
    'echo if then do { case in',
    'a=(1 "2 3" $(ls)); f() { ls; }; f',
    'find . -exec rm {} \\;',
    "git commit -m 'a\n\nb'",
    'echo "a $(echo "b")" `echo c`',
    'make \\\n  all && # then\n\n  make install',
    'for ((i=0; i<3; i++)); do (( i > 1 )) && echo $i; done',
    'ls &> f; ls >& f; ls >| f',
  ])('%j is complete', (text) => {
    expect(unfinished(text)).toBeUndefined();
  });

  it.each(['echo )', 'if (true; then) ls', 'fi', 'ls ;; ls'])('%j is an error that more lines do not fix', (text) => {
    expect(unfinished(text)).toBeUndefined();
  });
});
