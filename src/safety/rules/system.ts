import type { Call } from '../programs/call.ts';
import { isDisk, isSystemPath } from '../programs/paths.ts';
import type { Rule } from './rule.ts';

const signalOf = (call: Call): string => {
  const given = call.value('-s', '--signal');
  const end = call.args.findIndex((field) => field.text === '--');
  const found = (end < 0 ? call.args : call.args.slice(0, end))
    .find((field) => /^-(\d+|[A-Z]+\d?)$/.test(field.text) && !/^-[lLn]$/.test(field.text))
    ?.text.slice(1);
  return (given ?? found ?? '').replace(/^SIG/, '').toUpperCase();
};
const isKill = (signal: string) => signal === '9' || signal === 'KILL';
/** Signal 0 only asks; CONT, WINCH and CHLD end nothing. */
const isQuiet = (call: Call) =>
  /^(0|CONT|WINCH|CHLD|URG|INFO|18|28|USR1|USR2|10|12|HUP|1)$/.test(signalOf(call)) ||
  call.has('-l', '--list', '-L', '--table');

/** Processes, services, power, permissions, accounts. */
export const SYSTEM_RULES: readonly Rule[] = [
  {
    name: 'kill -9',
    programs: 'kill',
    when: (call) => isKill(signalOf(call)),
    reason: 'kill -9',
    match: ['kill -9 123', 'kill -KILL 1', 'kill -s SIGKILL 123', 'kill -s 9 %1', 'kill -SIGKILL $$'],
    pass: ['kill -l 9', 'kill -0 123'],
  },
  {
    name: 'kill',
    programs: 'kill',
    when: (call) => !isQuiet(call) && call.args.length > 0,
    reason: 'ends a process',
    match: ['kill 123', 'kill -TERM $(cat app.pid)', 'kill %1', 'kill -- -1'],
    pass: ['kill -0 123', 'kill -l', 'kill -CONT 5'],
  },
  {
    name: 'pkill -9',
    programs: 'pkill killall skill slay killall5',
    when: (call) => isKill(signalOf(call)) || call.has('-9', '-KILL'),
    reason: 'pkill -9',
    match: ['pkill -9 node', 'killall -9 firefox', 'pkill --signal KILL x', 'killall -s KILL x'],
    pass: ['pkill -0 x', 'pgrep node'],
  },
  {
    name: 'pkill',
    programs: 'pkill killall skill slay killall5 xkill fkill taskkill fuser snice tskill',
    when: (call) => {
      if (call.program === 'fuser') return call.has('-k', '--kill');
      return !isQuiet(call) && (call.args.length > 0 || call.program === 'xkill' || call.program === 'killall5');
    },
    reason: 'ends processes by name',
    match: ['pkill node', 'killall chrome', 'fuser -k 8080/tcp', 'pkill -f "python app.py"', 'npx fkill 123', 'xkill'],
    pass: ['fuser 8080/tcp', 'killall -l', 'pkill -0 node'],
  },
  {
    name: 'power',
    programs: 'shutdown reboot halt poweroff init telinit pm-suspend pm-hibernate systemctl loginctl kexec',
    shapes: [
      'reboot|poweroff|halt|kexec|suspend|hibernate|hybrid-sleep|soft-reboot|rescue|emergency|isolate|exit|default|switch-root',
    ],
    when: (call) => !call.has('--help', '-w', '--wtmp-only'),
    reason: 'stops or restarts the machine',
    match: ['systemctl reboot', 'systemctl isolate rescue.target'],
    pass: ['systemctl status', 'last reboot'],
  },
  {
    name: 'shutdown',
    programs: 'shutdown reboot halt poweroff init telinit pm-suspend pm-hibernate kexec',
    when: (call) => !call.has('--help', '-w', '--wtmp-only', '-c', '--show', '-k') || call.program === 'kexec',
    reason: 'stops or restarts the machine',
    match: ['shutdown -h now', 'reboot', 'poweroff', 'init 0', 'shutdown -r +5', 'kexec -e', 'halt -f'],
    pass: ['shutdown -c', 'shutdown --help', 'shutdown -k now'],
  },
  {
    name: 'service control',
    programs:
      'systemctl service rc-service rc-update sv s6-svc launchctl initctl stop restart supervisorctl pm2 monit runsvctl update-rc.d chkconfig invoke-rc.d loginctl brew-services nssm sc net circusctl god forever nginx apachectl apache2ctl httpd pg_ctl pg_ctlcluster mysqladmin rabbitmqctl redis-server catalina.sh varnishadm haproxy caddy uwsgi gunicorn unicorn sidekiqctl machinectl a2dissite a2dismod nodetool snap-service immortalctl',
    shapes: [
      'stop|restart|try-restart|reload-or-restart|condrestart|disable|mask|kill|revert|daemon-reexec|set-default|delete|del|remove|bootout|unload|force-stop|down|flush|stopall|stop_app|reset|force_reset|purge_queue|delete_queue|delete_user|delete_vhost|clear_permissions|terminate-session|terminate-user|kill-session|kill-user|poweroff|decommission|removenode|assassinate|clearsnapshot|shutdown|drop|link|set-property|edit',
      '* stop|restart|force-stop|force-reload|disable|kill|remove',
      '-s=/stop|quit|reopen/',
      '-k=/stop|graceful-stop|restart/',
    ],
    when: (call) => {
      const words = call.operands.map((operand) => operand.text);
      const { program } = call;
      if (program === 'net') return words[0] === 'stop' || (words[0] === 'user' && call.has('/delete'));
      if (program === 'stop' || program === 'restart' || program === 'haproxy') return false;
      if (program === 'brew-services') return false;
      if (
        program === 'systemctl' &&
        /^(status|is-active|show|cat|list-units|enable|start|edit|link)$/.test(words[0] ?? '')
      )
        return words[0] === 'edit' && call.has('--full', '--force');
      return true;
    },
    reason: 'stops or changes a service',
    match: [
      'systemctl stop nginx',
      'sudo systemctl disable --now ssh',
      'service mysql stop',
      'systemctl --user restart x',
      'supervisorctl stop all',
      'pm2 delete all',
      'launchctl unload x.plist',
      'rabbitmqctl reset',
      'nginx -s stop',
      'mysqladmin shutdown',
      'systemctl mask x',
      'pm2 kill',
      'apachectl -k stop',
    ],
    pass: [
      'systemctl status nginx',
      'systemctl start nginx',
      'service nginx status',
      'pm2 list',
      'systemctl is-active stop',
      'nginx -t',
      'systemctl list-units --state=stop',
      'supervisorctl status',
    ],
  },
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
    name: 'chmod 777',
    programs: 'chmod',
    when: (call) =>
      call.args.some((field) => /^[0-7]?777$|^(a|o|ugo)?[+=]rwx/.test(field.text) && !/^[ug]+[+=]/.test(field.text)),
    reason: 'chmod 777',
    match: ['chmod 777 x', 'chmod -R 777 /var/www', 'chmod 0777 x', 'chmod a+rwx x', 'chmod 1777 d', 'chmod o+rwx f'],
    pass: ['chmod 755 x', 'chmod u+rwx x', 'find . -perm 777'],
  },
  {
    name: 'recursive permissions',
    programs: 'chmod chown chgrp chattr setfacl chcon restorecon icacls takeown',
    shapes: ['-R|--recursive|/T', '-b|--remove-all|-x|--remove|-k|--remove-default|--set|--restore'],
    when: (call) => call.program !== 'restorecon' || !call.has('-n'),
    reason: 'changes permissions of a whole tree',
    match: [
      'chmod -R 644 .',
      'chown -R bob /srv',
      'chgrp -R www x',
      'setfacl -R -m u:x:rwx d',
      'chattr -R +i d',
      'setfacl -b f',
    ],
    pass: ['chmod 644 f', 'ls -R', 'getfacl -R .'],
  },
  {
    name: 'chown on root path',
    programs: 'chown chgrp',
    when: (call) => call.operands.slice(1).some((operand) => /^\/\*?$/.test(operand.text)),
    reason: 'chown on root path',
    match: ['chown bob /', 'chown root:root /*'],
    pass: ['chown bob file'],
  },
  {
    name: 'permissions of system files',
    programs: 'chmod chown chgrp chattr setcap chcon setfacl setsebool semanage chflags',
    when: (call) => {
      const words = call.args.map((field) => field.text);
      if (call.program === 'chattr') return words.some((word) => /^[-+=][a-zA-Z]*[ia]/.test(word));
      if (call.program === 'setcap' || call.program === 'setsebool' || call.program === 'chflags') return true;
      if (call.program === 'semanage') return call.has('-d', '--delete', '-D', '--deleteall', '-m');
      if (
        call.operands
          .slice(1)
          .some(
            (operand) =>
              isSystemPath(operand.text) ||
              isDisk(operand.text) ||
              /^(\/|~|\/home|\/root|\/var)\/?$/.test(operand.text),
          )
      )
        return true;
      return (
        call.program === 'chmod' &&
        words.some((word) => /^(0{1,4}|[ugoa]*-[rwxst]+|[ugoa]*\+s|[2-7][0-7]{3}|a=|000|u\+s|[ugoa]*=)$/.test(word))
      );
    },
    reason: 'changes permissions that others rely on',
    match: [
      'chmod 000 /etc/shadow',
      'chmod u+s /bin/bash',
      'chown bob /etc/passwd',
      'chattr +i /etc/resolv.conf',
      'chmod 4755 x',
      'setcap cap_net_raw+ep x',
      'chmod -x /usr/bin/sudo',
      'chmod 600 /etc/ssh/sshd_config',
    ],
    pass: ['chmod +x run.sh', 'chmod 600 ~/.ssh/id_rsa', 'lsattr x', 'getcap x'],
  },
  {
    name: 'accounts',
    programs:
      'userdel groupdel deluser delgroup usermod groupmod passwd chpasswd chsh chfn chage gpasswd vipw vigr pwconv useradd adduser groupadd faillock faillog pam_tally2 dscl sysadminctl smbpasswd pdbedit samba-tool htpasswd ldapdelete ldapmodify ldappasswd kadmin kadmin.local ipa realm dsconfigad newusers pwck grpck visudo edquota setquota lastlog saslpasswd2 authconfig authselect',
    when: (call) => {
      const words = call.args.map((field) => field.text);
      const first = call.operands[0]?.text ?? '';
      switch (call.program) {
        case 'useradd':
        case 'adduser':
        case 'groupadd':
          return words.some((word) => /^(sudo|wheel|docker|root|admin|adm)$/.test(word)) || call.value('-u') === '0';
        case 'passwd':
          return !call.has('-S', '--status', '--help');
        case 'chage':
          return !call.has('-l', '--list');
        case 'htpasswd':
          return call.has('-c', '-D') || call.args.some((field) => /^-\w*[cD]/.test(field.text));
        case 'samba-tool':
        case 'ipa':
        case 'kadmin':
        case 'kadmin.local':
        case 'dscl':
        case 'sysadminctl':
          return /\b(del|delete|disable|remove|deleteUser|setpassword|delprinc|-delete|mod|passwd|cpw|change|create|append)\b|-del/.test(
            words.join(' '),
          );
        case 'realm':
          return first === 'leave';
        case 'pdbedit':
          return call.has('-x', '--delete');
        case 'smbpasswd':
          return true;
        case 'faillock':
          return call.has('--reset');
        case 'pam_tally2':
          return call.has('-r', '--reset');
        case 'faillog':
        case 'lastlog':
          return call.has('-r', '-C', '--clear', '-S');
        case 'pwck':
        case 'grpck':
          return !call.has('-r', '--read-only');
        case 'visudo':
          return false;
        default:
          return words.length > 0;
      }
    },
    reason: 'changes accounts or passwords',
    match: [
      'userdel -r bob',
      'passwd -d root',
      'usermod -L bob',
      'echo root:x | chpasswd -e',
      'gpasswd -d bob sudo',
      'deluser bob',
      'chage -E 0 bob',
      'groupdel staff',
      'usermod -aG sudo eve',
      'passwd root',
      'ldapdelete -x cn=a',
      'dscl . -delete /Users/x',
    ],
    pass: ['passwd -S bob', 'chage -l bob', 'id bob', 'getent passwd bob', 'visudo -c'],
  },
  {
    name: 'chpasswd',
    programs: 'chpasswd newusers vipw vigr mkpasswd-db',
    reason: 'changes accounts or passwords',
    when: () => true,
    match: ['echo root:x | chpasswd', 'newusers < list'],
    pass: ['mkpasswd x'],
  },
  {
    name: 'keys and secrets',
    programs:
      'gpg gpg2 ssh-keygen ssh-add security secret-tool pass gopass keyctl vault certbot kwallet-query keytool openssl cert-manager certutil pkcs11-tool ykman bw lpass op age step ssh-copy-id systemd-creds sops tpm2_clear acme.sh cryptsetup-keys',
    when: (call) => {
      const words = call.args.map((field) => field.text);
      const first = call.operands[0]?.text ?? '';
      const line = words.join(' ');
      switch (call.program) {
        case 'gpg':
        case 'gpg2':
          return /--(delete|batch-delete)\S*|--gen-revoke|--edit-key|--quick-(revoke|set-expire|revuid)|--delete-secret/.test(
            line,
          );
        case 'ssh-keygen':
          return call.has('-R') || (call.has('-p') && !call.has('-l')) || (call.has('-y') && false);
        case 'ssh-add':
          return call.has('-D', '-d', '-x');
        case 'security':
          return /^(delete|set|unlock)-|^delete|^remove|^set-key/.test(first);
        case 'secret-tool':
          return first === 'clear';
        case 'pass':
        case 'gopass':
          return /^(rm|remove|delete|mv|generate|edit)$/.test(first) && (first !== 'generate' || call.has('-f', '-i'));
        case 'keyctl':
          return /^(unlink|revoke|clear|purge|invalidate|timeout)$/.test(first);
        case 'vault':
          return (
            /^(delete|destroy)$/.test(first) ||
            (/^(kv|secrets|auth|token|lease|policy|operator|audit|namespace|plugin|write)$/.test(first) &&
              /\b(delete|destroy|disable|revoke|metadata delete|seal|rekey|step-down|generate-root|rotate|deregister|rollback|undelete)\b/.test(
                call.operands
                  .slice(1, 3)
                  .map((operand) => operand.text)
                  .join(' '),
              ))
          );
        case 'certbot':
          return /^(delete|revoke|unregister|rollback)$/.test(first);
        case 'keytool':
          return /-delete\b|-storepasswd|-keypasswd|-changealias/.test(line);
        case 'certutil':
          return call.has('-D', '-F', '-delstore');
        case 'tpm2_clear':
          return true;
        case 'ykman':
          return /\b(reset|delete)\b/.test(line);
        case 'bw':
        case 'lpass':
          return /^(delete|rm|edit)$/.test(first);
        case 'op':
          return /\b(delete|archive|edit|remove|revoke|suspend)\b/.test(
            call.operands
              .slice(0, 2)
              .map((operand) => operand.text)
              .join(' '),
          );
        case 'acme.sh':
          return /--(revoke|remove|deactivate|uninstall)/.test(line);
        case 'openssl':
          return first === 'ca' && call.has('-revoke');
        default:
          return false;
      }
    },
    reason: 'removes keys, secrets or certificates',
    match: [
      'gpg --delete-secret-keys bob',
      'ssh-keygen -R host',
      'ssh-add -D',
      'security delete-keychain x',
      'pass rm mail',
      'vault kv delete secret/x',
      'vault kv metadata delete secret/x',
      'certbot revoke --cert-path x',
      'keytool -delete -alias x',
      'keyctl clear @u',
      'vault token revoke x',
    ],
    pass: [
      'gpg --list-keys',
      'ssh-keygen -l -f x',
      'ssh-add -l',
      'pass show mail',
      'vault kv get secret/x',
      'certbot certificates',
      'openssl x509 -in a.pem -noout -text',
      'keytool -list',
    ],
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
    name: 'batch jobs',
    programs: 'scancel qdel bkill condor_rm oardel canceljob llcancel mjobctl lprm cancel scontrol',
    when: (call) =>
      call.program === 'scontrol'
        ? /^(delete|shutdown|reboot|requeue|suspend)$/.test(call.operands[0]?.text ?? '')
        : true,
    reason: 'cancels jobs',
    match: ['scancel -u bob', 'qdel 12', 'lprm -', 'scontrol delete reservation=x'],
    pass: ['squeue', 'scontrol show job 3', 'lpq'],
  },
  {
    name: 'powershell',
    programs:
      'Remove-Item Clear-Content Clear-RecycleBin Clear-Disk Format-Volume Stop-Process Stop-Service Stop-Computer Restart-Computer Restart-Service Remove-ItemProperty Set-Content Out-File Initialize-Disk Remove-Partition Uninstall-Package Remove-LocalUser Remove-VM Clear-EventLog Clear-History Disable-NetAdapter Remove-NetFirewallRule ri rd del erase rmdir.exe spps kill.exe Remove-Module-Force Set-ExecutionPolicy Unregister-ScheduledTask Remove-ADUser Remove-Job Clear-Item Move-Item-Force rd.exe deltree format.com cipher taskkill diskpart',
    when: (call) => call.program !== 'cipher' || /\/w/i.test(call.line),
    reason: 'deletes, overwrites or stops something',
    match: ["pwsh -c 'Remove-Item -Recurse -Force x'", 'powershell -Command "Stop-Process -Id 1"'],
    pass: ["pwsh -c 'Get-ChildItem'"],
  },
  {
    name: 'terminal session',
    programs: 'tmux loginctl zellij byobu pkill-session dtach abduco',
    shapes: [
      'kill-server|kill-session|kill-window|kill-pane|killp|killw|respawn-pane',
      'kill-session|delete-session|kill-all-sessions|delete-all-sessions|ka|da|k|d +',
      'terminate-session|terminate-user|kill-user|kill-session|terminate-seat',
    ],
    when: (call) => call.program !== 'loginctl' || /^(terminate|kill)/.test(call.operands[0]?.text ?? ''),
    reason: 'ends a terminal session',
    match: ['tmux kill-server', 'tmux kill-session -t x', 'loginctl terminate-user bob', 'zellij kill-all-sessions'],
    pass: ['tmux ls', 'tmux new -d -s x', 'loginctl list-sessions'],
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
