// The least that an Ink program can be: a line that is typed, under as many lines as are asked for. A floor of the benches.
import { Box, render, Text, useInput } from 'ink';
import { createElement as h, useState } from 'react';

const lines = Array.from({ length: Number(process.argv[2] ?? 0) }, (_, n) => `line ${n} of what stands on the screen`);

function Program() {
  const [typed, setTyped] = useState('');
  useInput((input, key) => setTyped((was) => (key.backspace || key.delete ? was.slice(0, -1) : was + input)));
  return h(
    Box,
    { flexDirection: 'column' },
    ...lines.map((line) => h(Text, { key: line }, line)),
    h(Text, { key: 'prompt' }, `ready> ${typed}`),
  );
}

render(h(Program), { incrementalRendering: true, maxFps: 120, interactive: true, patchConsole: false });
