/** Scenes of the conversation with a model. */
import { call, hold, say } from '../../support/scripted-server.ts';
import { enter, type Scene } from '../scene.ts';

const ANSWER = `Two places matter. **\`parse\`** reads the whole file, and \`send\` waits for each line:

\`\`\`ts
for (const line of parse(text)) {
  await send(line); // Each key is one round trip.
}
\`\`\`

| step | time | share |
|---|---:|---:|
| read | 12 ms | 2 % |
| send | 640 ms | 98 % |

1. Send lines in batches of 100.
2. Read in pieces.

See [the notes](https://example.com/notes).`;

export const CHAT: readonly Scene[] = [
  {
    name: 'answer',
    title: 'an answer: prose, code, a table, a list',
    script: [say(ANSWER)],
    play: (stage) => enter(stage, '?why is it slow', /the notes/),
  },
  {
    name: 'link',
    title: 'a click on a link whose address is hidden behind words',
    script: [say('The [manual](https://docs.example/deploy) has it; so has https://wiki.example/deploy.')],
    async play(stage) {
      const { rig } = stage;
      await enter(stage, '?where is it written', /The manual.*\n[\s\S]*\[aish:fast\]> /);
      const rows = rig.text().split('\n');
      const row = rows.findIndex((line) => line.includes('The manual'));
      const column = (rows[row] ?? '').indexOf('manual') + 1;
      rig.mouse('click', column, row);
      await rig.waitFor('another click opens https://docs.example/deploy');
    },
  },
  {
    name: 'answering',
    title: 'an answer while it comes',
    script: [{ text: ['It is the ', 'second loop', hold('rest'), ' that waits.'] }],
    play: (stage) => enter(stage, '?why is it slow', /second loop/),
  },
  {
    name: 'connecting',
    title: 'before the first word',
    script: [{ text: [hold('rest'), 'Yes.'] }],
    play: (stage) => enter(stage, '?are you there', /\d s/),
  },
  {
    name: 'server-down',
    title: 'a model that does not answer',
    config: { models: { fast: { base_url: 'http://127.0.0.1:9/v1', model: 'none' } } },
    play: (stage) => enter(stage, '?are you there', /nothing answers/),
  },
  {
    name: 'consent',
    title: 'the model wants to act: a question',
    config: { confirm_cmd: true, mode: 'unrestricted' },
    script: [call('bash', { command: 'mkdir -p build && touch build/app' }, 'I make the directory first.')],
    play: (stage) => enter(stage, '?set up the build', /mkdir[\s\S]*skip/),
  },
  {
    name: 'acted',
    title: 'what the model did, and who allowed it',
    config: { confirm_cmd: false, mode: 'unrestricted' },
    script: [say('I build it.\nCMD: echo built > app; cat app'), say('It is built.')],
    play: (stage) => enter(stage, '?set up the build', /It is built\./),
  },
  {
    name: 'patch',
    title: 'a change of a file is asked for by its diff',
    config: { mode: 'unrestricted' },
    files: { 'main.c': '#include <stdio.h>\n\nint main(void) {\n  puts("hello");\n  return 1;\n}\n' },
    script: [
      call('patch', {
        path: 'main.c',
        patches: [{ operation: 'replace', oldText: '  return 1;', newText: '  return 0;' }],
      }),
    ],
    play: (stage) => enter(stage, '?fix the exit code', /return 0[\s\S]*skip/),
  },
  {
    name: 'mode',
    title: 'a command that Restricted refuses: a wider mode is offered',
    script: [say('I make it.\nCMD: mkdir build'), say('It was refused.')],
    config: { confirm_cmd: false },
    play: (stage) => enter(stage, '?make the directory', /CHANGE MODE/),
  },
  {
    name: 'secret',
    title: 'a secret in an output does not leave',
    script: [say('I see a key.')],
    async play(stage) {
      await enter(stage, 'echo AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzKEY', /❯ echo .*✓/);
      await enter(stage, '?what is in it', /I see a key/);
    },
  },
];
