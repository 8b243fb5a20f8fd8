import { unknown } from '../../verdict.ts';
import { given, type Records } from '../record.ts';

/** Disks, volumes, modules and what keeps them in order: looking, and dry runs. */
export const DISKS: Records = {
  mdadm: {
    needs: true,
    tune: '-D -E -Q -v -b --detail --examine --query --scan --verbose --brief',
    operands: 'read',
    judge: (_, reading) =>
      given(reading, '-D', '-E', '-Q', '--detail', '--examine', '--query') ? undefined : unknown('changes an array'),
  },
  modprobe: {
    needs: true,
    tune: '-v -q -c -D --show-depends --verbose --showconfig --show-config',
    dry: '-n --dry-run --show',
    load: '-C= -d= -S= --config=',
    delete: '-r --remove -f --force',
    operands: 'tune',
    judge: (_, reading) =>
      given(reading, '-n', '--dry-run', '--show', '-D', '-c', '--show-depends')
        ? undefined
        : unknown('loads a module into the kernel'),
  },
  modinfo: { tune: '-F= -0 -a -d -l -p -n -k= --field=', operands: 'tune' },
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
  cryptsetup: {
    needs: true,
    subs: { 'luksDump status isLuks benchmark luksUUID': { operands: 'read', tune: '-v --debug --type=' } },
  },
  wipefs: {
    needs: true,
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
  'iptables-save ip6tables-save': { tune: '-c -t= -M=', write: '-f= --file=' },
  'iptables-restore': {
    dry: '-t --test',
    tune: '-n -v -c -w',
    operands: 'read',
    judge: (_, reading) => (given(reading, '-t', '--test') ? undefined : unknown('replaces the firewall')),
  },
  fstrim: {
    dry: '-n --dry-run',
    tune: '-v -a --all --fstab --verbose',
    operands: 'read',
    judge: (_, reading) => (given(reading, '-n', '--dry-run') ? undefined : unknown('trims a file system')),
  },
  'mkfs.ext4 mkfs.ext3 mkfs.ext2 mke2fs': {
    dry: '-n',
    idle: '-V',
    tune: '-v -q -t= -L= -b= -m= -T=',
    operands: 'read',
    judge: (_, reading) => (given(reading, '-n') ? undefined : unknown('formats')),
  },
  'lvremove vgremove pvremove lvreduce lvresize vgreduce lvcreate': {
    needs: { 'lvremove vgremove pvremove lvreduce': true },
    dry: '-t --test',
    tune: '-v -y -L= -n= -l= --yes --verbose',
    operands: 'tune',
    judge: (_, reading) => (given(reading, '-t', '--test') ? undefined : unknown('changes volumes')),
  },
  logrotate: {
    values: '-s --state -l --log -m --mail',
    dry: '-d --debug',
    tune: '-v --verbose',
    write: '-s= --state= -l= --log=',
    operands: 'read',
    judge: (_, reading) => (given(reading, '-d', '--debug') ? undefined : unknown('rotates logs')),
  },
};
