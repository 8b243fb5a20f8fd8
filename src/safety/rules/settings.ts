import type { Rule } from './rule.ts';

/** Settings of the system, scheduled jobs, logs, databases as services. */
export const SETTING_RULES: readonly Rule[] = [
  {
    name: 'mysqladmin',
    programs:
      'mysqladmin dropdb dropuser mongorestore mysqlimport pg_dropcluster pg_resetwal pg_rewind pg_restore myisamchk innochecksum pg_createcluster createdb= redis-benchmark mongoimport',
    when: (call) => {
      const words = call.operands.map((operand) => operand.text);
      if (call.program === 'mysqladmin')
        return words.some((word) => /^(drop|kill|shutdown|password|flush-\w+|refresh|reload|stop-\w+)$/.test(word));
      if (call.program === 'mongorestore' || call.program === 'mongoimport') return call.has('--drop', '--mode=');
      if (call.program === 'pg_restore') return call.has('-c', '--clean') || call.has('-d', '--dbname');
      if (call.program === 'mysqlimport') return call.has('-d', '--delete', '-r', '--replace');
      if (call.program === 'myisamchk') return call.has('-r', '-o', '-f', '--recover', '--force');
      return (
        /^(dropdb|dropuser|pg_dropcluster|pg_resetwal|pg_rewind)$/.test(call.program) && !call.has('-n', '--dry-run')
      );
    },
    reason: 'drops or overwrites a database',
    match: [
      'dropdb prod',
      'mysqladmin -u root drop shop',
      'mongorestore --drop dump/',
      'pg_restore --clean -d app x.dump',
      'pg_resetwal -f /data',
      'dropuser bob',
      'pg_dropcluster 14 main',
    ],
    pass: ['pg_restore -l x.dump', 'mysqladmin status', 'createdb x', 'mongodump', 'mysqladmin ping'],
  },
  {
    name: 'crontab',
    programs: 'crontab at batch atrm incrontab fcrontab systemd-cron anacron',
    when: (call) => {
      if (call.program === 'atrm') return call.args.length > 0;
      if (call.program === 'at') return call.has('-d', '-r');
      if (call.program === 'batch' || call.program === 'anacron') return false;
      return (
        call.has('-r', '-i', '--remove') ||
        (!call.has('-l', '-e', '-V') && (call.operands.length > 0 || call.io.stdin !== undefined))
      );
    },
    reason: 'replaces or removes scheduled jobs',
    match: ['crontab -r', 'crontab new.txt', 'echo "* * * * * x" | crontab -', 'atrm 3', 'crontab -u bob -r'],
    pass: ['crontab -l', 'atq', 'crontab -l -u bob'],
  },
  {
    name: 'logs and history',
    programs: 'journalctl history dmesg logrotate fc lastlog auditctl log wevtutil last btmp',
    when: (call) => {
      const line = call.args.map((field) => field.text).join(' ');
      switch (call.program) {
        case 'journalctl':
          return /--vacuum-|--rotate|--flush\b/.test(line) && /--vacuum-/.test(line);
        case 'history':
          return call.has('-c', '-d', '-w');
        case 'dmesg':
          return call.has('-C', '--clear', '-c', '--read-clear');
        case 'logrotate':
          return call.has('-f', '--force');
        case 'auditctl':
          return call.has('-D', '-d', '-e');
        case 'log':
          return call.operands[0]?.text === 'erase';
        case 'wevtutil':
          return /^(cl|clear-log)$/.test(call.operands[0]?.text ?? '');
        default:
          return false;
      }
    },
    reason: 'deletes logs or history',
    match: ['journalctl --vacuum-time=1d', 'history -c', 'dmesg -C', 'logrotate -f /etc/logrotate.conf', 'auditctl -D'],
    pass: ['journalctl -u nginx', 'dmesg', 'history 10', 'logrotate -d /etc/logrotate.conf'],
  },
  {
    name: 'system settings',
    programs:
      'update-alternatives alternatives timedatectl hwclock date hostnamectl localectl dpkg-divert ldconfig update-grub grub-install grub-mkconfig update-initramfs dracut mkinitcpio bootctl efibootmgr kernelstub dconf gsettings defaults debconf-communicate dpkg-reconfigure xattr setenforce mokutil fwupdmgr flashrom nvram bcdedit reg csrutil tmutil grub-reboot grub2-mkconfig grub2-install kernel-install plymouth-set-default-theme lilo extlinux syslinux spctl scutil systemsetup networksetup pmset nvme-cli raspi-config rpi-update setterm ntpdate chronyc xdg-settings mandb',
    when: (call) => {
      const words = call.args.map((field) => field.text);
      const first = call.operands[0]?.text ?? '';
      switch (call.program) {
        case 'date':
          return call.has('-s', '--set') || /^\d{8,12}(\.\d\d)?$/.test(first);
        case 'hwclock':
          return call.has('-w', '--systohc', '-s', '--hctosys', '--set');
        case 'timedatectl':
        case 'hostnamectl':
        case 'localectl':
          return /^set-/.test(first);
        case 'update-alternatives':
        case 'alternatives':
          return call.has('--remove', '--remove-all', '--set');
        case 'dpkg-divert':
          return call.has('--remove');
        case 'bootctl':
          return /^(remove|unlink|cleanup|install|set-default|set-oneshot)$/.test(first);
        case 'efibootmgr':
          return words.length > 0 && !call.has('-v', '--verbose');
        case 'update-initramfs':
          return call.has('-d', '-u', '-c');
        case 'dconf':
          return /^(reset|load|write)$/.test(first) && first !== 'write';
        case 'gsettings':
          return /^reset/.test(first);
        case 'defaults':
          return /^(delete|remove)$/.test(first);
        case 'xattr':
          return call.has('-d', '-c', '-r') || call.args.some((field) => /^-\w*[cd]/.test(field.text));
        case 'setenforce':
          return true;
        case 'mokutil':
          return call.has('--reset', '--delete', '--disable-validation');
        case 'fwupdmgr':
          return /^(update|install|downgrade|reinstall|activate|switch-branch)$/.test(first);
        case 'flashrom':
          return call.has('-w', '-E', '--write', '--erase');
        case 'nvram':
          return call.has('-c', '-d') || words.some((word) => /=/.test(word));
        case 'reg':
        case 'bcdedit':
          return /delete|\/delete|import|\/set/i.test(words.join(' '));
        case 'csrutil':
        case 'spctl':
          return /disable|clear|--master-disable/.test(words.join(' '));
        case 'tmutil':
          return /^(delete|deletelocalsnapshots|disable|thinlocalsnapshots|restore|removedestination|deleteinprogress)$/.test(
            first,
          );
        case 'grub-install':
        case 'grub2-install':
        case 'lilo':
        case 'extlinux':
        case 'rpi-update':
        case 'grub-reboot':
        case 'kernel-install':
        case 'mkinitcpio':
        case 'dracut':
        case 'update-grub':
          return !call.has('--help', '--version', '-V', '--list-modules', '-L', '-H', '-h');
        case 'grub-mkconfig':
        case 'grub2-mkconfig':
          return call.has('-o', '--output');
        case 'scutil':
        case 'systemsetup':
        case 'networksetup':
          return /(^|\s)-+(set|remove|delete)/i.test(words.join(' '));
        case 'pmset':
          return words.length > 0 && !call.has('-g');
        default:
          return false;
      }
    },
    reason: 'changes settings of the system',
    match: [
      'date -s "2020-01-01"',
      'timedatectl set-time 2020-01-01',
      'grub-install /dev/sda',
      'efibootmgr -b 0001 -B',
      'dconf reset -f /',
      'update-alternatives --remove-all java',
      'setenforce 0',
      'tmutil deletelocalsnapshots /',
      'hostnamectl set-hostname x',
      'update-initramfs -d -k all',
      'flashrom -w x.bin',
    ],
    pass: [
      'date +%s',
      'timedatectl',
      'hostnamectl status',
      'dconf read /x',
      'update-alternatives --list java',
      'date -d "1 day ago"',
      'hwclock -r',
      'efibootmgr -v',
    ],
  },
];
