import { unknown } from '../../verdict.ts';
import { given, type Records } from '../record.ts';

/** Disks, volumes, modules and what keeps them in order: looking, and dry runs. */
export const DISKS: Records = {
  mdadm: {
    tune: '-D -E -Q -v -b --detail --examine --query --scan --verbose --brief',
    operands: 'read',
    judge: (_, reading) =>
      given(reading, '-D', '-E', '-Q', '--detail', '--examine', '--query') ? undefined : unknown('changes an array'),
  },
  btrfs: {
    family: 'disks',
    findings: [
      {
        name: 'btrfs delete',
        shapes: [
          'subvolume|sub|su delete|del',
          'device|dev remove|delete|del|replace',
          'replace start',
          'filesystem|fi resize',
          'check --repair',
          'rescue *',
          'balance start',
          'quota disable',
          'qgroup destroy',
        ],
        reason: 'deletes or rewrites a subvolume or device',
        match: ['btrfs subvolume delete /mnt/@x', 'btrfs device remove /dev/sdb /mnt', 'btrfs check --repair /dev/sdb'],
        pass: ['btrfs subvolume list /', 'btrfs filesystem df /', 'btrfs scrub status /'],
      },
    ],
    dryRun: { balance: '--dry-run' },
    traits: ['speaks'],
    subs: {
      'subvolume sub su': {
        subs: { 'list show get-default': { operands: 'read', tune: '-a -c -d -g -G= -o -p -q -r -R -s -t -u' } },
      },
      'filesystem fi device dev scrub balance qgroup': {
        subs: {
          'df show usage du stats status ': {
            operands: 'read',
            tune: '-b -h -T -s -r -e --raw --human-readable',
          },
        },
      },
    },
  },
  wipefs: {
    family: 'disks',
    findings: [
      {
        name: 'wipefs',
        shapes: ['-a|--all|-o|--offset|-f|--force'],
        reason: 'wipefs',
        match: ['wipefs -a /dev/sdb', 'wipefs --all --force /dev/sdb'],
        pass: ['wipefs /dev/sdb', 'wipefs -n -a /dev/sdb', 'wipefs --no-act --all /dev/sdb'],
      },
    ],
    tune: '-p -i -J -O= -q --no-act --parsable --noheadings --json --output=',
    dry: '-n --no-act',
    delete: '-a -o= -f -b --all --offset= --force --backup',
    operands: 'read',
  },
  'iptables-save': { tune: '-c -t= -M=', write: '-f= --file=' },
  'iptables-restore': {
    dry: '-t --test',
    tune: '-n -v -c -w',
    operands: 'read',
    judge: (_, reading) => (given(reading, '-t', '--test') ? undefined : unknown('replaces the firewall')),
  },
  'mkfs.ext4': {
    dry: '-n',
    idle: '-V',
    tune: '-v -q -t= -L= -b= -m= -T=',
    operands: 'read',
    judge: (_, reading) => (given(reading, '-n') ? undefined : unknown('formats')),
  },
  lvremove: {
    dry: '-t --test',
    tune: '-v -y -L= -n= -l= --yes --verbose',
    operands: 'tune',
    judge: (_, reading) => (given(reading, '-t', '--test') ? undefined : unknown('changes volumes')),
  },
};
