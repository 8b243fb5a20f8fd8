import { expect, it } from 'vitest';
import { fleetTable, groupLines, outputClasses } from '../../src/commands/fleet-table.ts';
import type { FleetRow } from '../../src/contracts/fleet.ts';
import { groupHalts } from '../../src/remote/fleet/halt-key.ts';

const row = (host: string, more: Partial<FleetRow> = {}): FleetRow => ({
  host,
  status: 'done',
  ended: true,
  reason: '',
  milliseconds: 1200,
  commands: [{ command: 'uname -r', exit: 0 }],
  output: '6.1\n',
  said: '',
  ...more,
});

it('the table of a fleet has a row for each host, and shows how the outputs differ', () => {
  const rows = [
    row('web1'),
    row('web2', { output: '5.10\n' }),
    row('web3'),
    row('db1', { status: 'no answer', reason: 'not done after 10 s', commands: [], output: '' }),
  ];
  expect(fleetTable(rows)).toEqual([
    'HOST  STATUS     TIME   COMMANDS  OUTPUT',
    'web1  done       1.2 s  1         A',
    'web2  done       1.2 s  1         B',
    'web3  done       1.2 s  1         A',
    'db1   no answer  1.2 s  0         –       not done after 10 s',
    'A (2 hosts: web1, web3): 6.1',
    'B (web2): 5.10',
  ]);
});

it('every different output in the table has its own letter or letters, however many there are', () => {
  const rows = Array.from({ length: 30 }, (_, n) => row(`h${n}`, { output: String(n) }));
  expect(new Set(outputClasses(rows).values()).size).toBe(30);
  expect(outputClasses(rows).get('h29')).toBe('AD');
});

it('a host’s report is shown escaped, so that it can’t draw on the screen', () => {
  const [group] = groupHalts([
    {
      ...{ host: 'web1', kind: 'command', command: 'rm -rf "\u001b[2J"', cwd: '/srv', mode: 'unrestricted' },
      ...{ sandbox: false, root: true, findings: [], opinion: 'static: deletes', secrets: [] },
      targets: [
        {
          label: '\u001b[2J',
          path: '/x',
          type: 'link',
          link: '\u202eevil',
          mount: '/',
          git: 'none',
          undoable: false,
          files: 0,
          bytes: 0,
          more: false,
        },
      ],
    },
  ]);
  const text = group ? groupLines(group).join('\n') : '';
  expect(text).not.toMatch(/[\u001b\u202e]/);
  expect(text).toContain('on web1, as root');
});
