import { isDisk, isSystemPath } from '../programs/paths.ts';
import type { Rule } from './rule.ts';

/** Permissions, accounts, keys and secrets. */
export const ACCOUNT_RULES: readonly Rule[] = [
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
        words.some((word) => /^(0{1,4}|(a|u|ugo)?-r[wx]*|[ugoa]*\+s|[2-7][0-7]{3}|a=|000|u\+s|[ugoa]*=)$/.test(word))
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
          return call.has('-R') || (call.has('-p') && !call.has('-l'));
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
];
