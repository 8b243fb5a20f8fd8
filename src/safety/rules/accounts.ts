import type { Call } from '../programs/call.ts';
import { DISK, SYSTEM_PATH } from '../programs/paths.ts';
import { hasUnknown, withoutTaint } from '../shell/taint.ts';
import { NEVER, type Rule } from './rule.ts';

/** Permissions, accounts, keys and secrets. */
export const ACCOUNT_RULES: readonly Rule[] = [
  {
    name: 'recursive permissions',
    kept: true,
    programs: 'chmod chown chgrp chattr setfacl chcon icacls takeown',
    shapes: ['-R|--recursive|/T', '-b|--remove-all|-x|--remove|-k|--remove-default|--set|--restore'],
    of: {
      restorecon: { not: { shape: '-n' } },
    },
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
    name: 'recursive permissions',
    kept: true,
    programs: 'chmod chown chgrp chattr setfacl chcon',
    when: namesListed,
    reason: 'changes permissions of files that something else lists',
    match: [
      'find . -type f -exec chmod 644 {} +',
      'git ls-files | xargs chmod +x',
      'chmod 644 $(find .)',
      'find . -exec chown bob {} \\;',
      'find . | while read f; do chmod 600 "$f"; done',
    ],
    pass: ['chmod +x *.sh', 'for f in *.sh; do chmod +x "$f"; done', 'chmod +x "$DIR/run.sh"'],
  },
  {
    name: 'permissions of system files',
    programs: 'setcap setsebool chflags',
    shapes: [''],
    of: {
      chmod: {
        any: [
          { later: SYSTEM_PATH },
          { later: DISK },
          { later: /^(\/|~|\/home|\/root|\/var)\/?$/ },
          { argument: /^(0{1,4}|(a|u|ugo)?-r[wx]*|[ugoa]*\+s|[2-7][0-7]{3}|a=|000|u\+s|[ugoa]*=)$/ },
        ],
      },
      'chown chgrp chcon setfacl': {
        any: [{ later: SYSTEM_PATH }, { later: DISK }, { later: /^(\/|~|\/home|\/root|\/var)\/?$/ }],
      },
      chattr: { argument: /^[-+=][a-zA-Z]*[ia]/ },
      semanage: { shape: '-d|--delete|-D|--deleteall|-m' },
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
    programs: 'smbpasswd',
    shapes: [''],
    of: {
      'userdel groupdel deluser delgroup usermod groupmod chpasswd chsh chfn gpasswd vipw vigr pwconv ldapdelete ldapmodify ldappasswd dsconfigad newusers edquota setquota saslpasswd2 authconfig authselect':
        { given: 'arguments' },
      passwd: { not: { shape: '-S|--status|--help' } },
      chage: { not: { shape: '-l|--list' } },
      'useradd adduser groupadd': {
        any: [{ argument: /^(sudo|wheel|docker|root|admin|adm)$/ }, { value: ['-u', /^0$/] }],
      },
      faillock: { shape: '--reset' },
      'faillog lastlog': { shape: '-r|-C|--clear|-S' },
      pam_tally2: { shape: '-r|--reset' },
      'dscl sysadminctl samba-tool kadmin kadmin.local ipa': {
        line: /\b(del|delete|disable|remove|deleteUser|setpassword|delprinc|-delete|mod|passwd|cpw|change|create|append|addUser|resetPasswordFor|newPassword)\b|-del/,
      },
      pdbedit: { shape: '-x|--delete' },
      htpasswd: { any: [{ shape: '-c|-D' }, { argument: /^-\w*[cD]/ }] },
      realm: { first: /^leave$/ },
      'pwck grpck': { not: { shape: '-r|--read-only' } },
      dseditgroup: { line: /(^|\s)-o (edit|create|delete)\b/ },
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
    shapes: [''],

    match: ['echo root:x | chpasswd', 'newusers < list'],
    pass: ['mkpasswd x'],
  },
  {
    name: 'keys and secrets',
    programs: 'tpm2_clear',
    shapes: [''],
    of: {
      'gpg gpg2': {
        line: /--(delete|batch-delete)\S*|--gen-revoke|--edit-key|--quick-(revoke|set-expire|revuid)|--delete-secret/,
      },
      'ssh-keygen': { any: [{ shape: '-R' }, { shape: '-p', not: { shape: '-l' } }] },
      'ssh-add': { shape: '-D|-d|-x' },
      security: { first: /^(delete|set|unlock)-|^delete|^remove|^set-key/ },
      'secret-tool': { first: /^clear$/ },
      'pass gopass': {
        first: /^(rm|remove|delete|mv|generate|edit)$/,
        any: [{ not: { first: /^generate$/ } }, { shape: '-f|-i' }],
      },
      keyctl: { first: /^(unlink|revoke|clear|purge|invalidate|timeout)$/ },
      vault: {
        any: [
          { first: /^(delete|destroy)$/ },
          {
            first: /^(kv|secrets|auth|token|lease|policy|operator|audit|namespace|plugin|write)$/,
            range: [
              1,
              3,
              /\b(delete|destroy|disable|revoke|metadata delete|seal|rekey|step-down|generate-root|rotate|deregister|rollback|undelete)\b/,
            ],
          },
        ],
      },
      certbot: { first: /^(delete|revoke|unregister|rollback)$/ },
      'kwallet-query cert-manager pkcs11-tool age step ssh-copy-id systemd-creds sops cryptsetup-keys': NEVER,
      keytool: { line: /-delete\b|-storepasswd|-keypasswd|-changealias/ },
      openssl: { first: /^ca$/, shape: '-revoke' },
      certutil: { shape: '-D|-F|-delstore' },
      ykman: { line: /\b(reset|delete)\b/ },
      'bw lpass': { first: /^(delete|rm|edit)$/ },
      op: { range: [0, 2, /\b(delete|archive|edit|remove|revoke|suspend)\b/] },
      'acme.sh': { line: /--(revoke|remove|deactivate|uninstall)/ },
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

/** Is an operand a list of files that comes from elsewhere (`find -exec`, xargs, `$(…)`): nothing of its name is known? */
function namesListed({ operands }: Call): boolean {
  return operands.some(
    ({ text }, at) => (at > 0 || operands.length === 1) && hasUnknown(text) && /^(\.\/)?$/.test(withoutTaint(text)),
  );
}
