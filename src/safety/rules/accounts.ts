import type { Call } from '../programs/call.ts';
import { DISK, isKill, isQuiet, SYSTEM_PATH, signalOf } from '../programs/paths.ts';
import { row } from '../programs/record.ts';
import { hasUnknown, withoutTaint } from '../shell/taint.ts';
import { NEVER, type Rule } from './rule.ts';

/** Permissions, accounts, keys and secrets. */
export const ACCOUNT_RULES: readonly Rule[] = [
  row('recursive permissions', 'changes permissions of a whole tree', {
    kept: true,
    programs: 'chmod chown chgrp chattr setfacl chcon icacls takeown',
    shapes: ['-R|--recursive|/T', '-b|--remove-all|-x|--remove|-k|--remove-default|--set|--restore'],
    of: { restorecon: { not: { shape: '-n' } } },
  }),
  row('recursive permissions', 'changes permissions of files from a list', {
    kept: true,
    programs: 'chmod chown chgrp chattr setfacl chcon',
    when: namesListed,
  }),
  row('permissions of system files', 'changes permissions that the system needs', {
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
  }),
  row('accounts', 'changes accounts or passwords', {
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
  }),
  row('chpasswd', 'changes accounts or passwords', {
    programs: 'chpasswd newusers vipw vigr mkpasswd-db',
    shapes: [''],
  }),
  row('keys and secrets', 'removes keys, secrets or certificates', {
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
  }),
];

/** Whether an operand is a list of files from elsewhere (`find -exec`, xargs, `$(…)`). */
function namesListed({ operands }: Call): boolean {
  return operands.some(
    ({ text }, at) => (at > 0 || operands.length === 1) && hasUnknown(text) && /^(\.\/)?$/.test(withoutTaint(text)),
  );
}

/** Rules for commands that grant rights, logins or access, or leave something that runs later. */
export const GRANT_RULES: readonly Rule[] = [
  row('grant rights', 'grants rights in the cloud', {
    programs: 'aws',
    shapes: [
      'iam /^(attach-(user|role|group)-policy|put-(user|role|group)-policy|put-\\w+-permissions-boundary|create-(access-key|user|login-profile|policy-version|service-specific-credential|saml-provider|open-id-connect-provider)|update-(login-profile|access-key|assume-role-policy)|add-(user-to-group|role-to-instance-profile|client-id-to-open-id-connect-provider)|set-default-policy-version|upload-(ssh-public-key|signing-certificate)|deactivate-mfa-device)$/',
      '* /^(add-(layer-version-)?permission|put-(bucket-policy|bucket-acl|object-acl|public-access-block|resource-policy|key-policy|file-system-policy|vault-access-policy|registry-policy)|set-(repository-policy|topic-attributes-policy)|create-grant|attach-policy|modify-(image|snapshot|db-snapshot|db-cluster-snapshot)-attribute|create-key-pair|import-key-pair|send-ssh-public-key|associate-iam-instance-profile|grant-permissions|create-account-assignment|create-api-key|admin-create-user|create-user|create-db-user)$/',
      's3|s3api * --acl=/public|authenticated/',
    ],
  }),
  row('grant rights', 'grants rights in the cloud', {
    programs: 'gcloud gsutil az bq',
    shapes: [
      '/^(add|set)-iam-policy(-binding)?$/',
      'iam service-accounts create',
      'iam service-accounts keys create|upload',
      'iam roles create|update',
      'compute os-login ssh-keys add',
      'compute project-info|instances add-metadata --metadata|--metadata-from-file=/ssh-keys|startup-script/',
      'sql|spanner|alloydb users create|set-password',
      'iam|acl|defacl ch|set',
      'role assignment|definition create|update',
      'ad user|group|sp|app create|create-for-rbac|update',
      'ad sp create-for-rbac',
      'ad app|sp credential reset',
      'ad group member add',
      'storage|keyvault * set-permission',
      'keyvault set-policy',
      'vm user update|reset-ssh',
      'identity create|assign',
    ],
  }),
  row('grant rights', 'grants rights in the cluster', {
    programs: 'kubectl oc',
    shapes: [
      'create clusterrolebinding|rolebinding|clusterrole|role|token',
      'certificate approve',
      'auth reconcile',
      'adm policy /^(add|bind)-/',
      'policy /^add-/',
      'set subject',
    ],
  }),
  row('grant rights', 'grants rights or a login', {
    programs: 'rabbitmqctl vault consul nomad boundary etcdctl npm pnpm yarn cargo gem heroku doctl',
    shapes: [
      'add_user|set_user_tags|set_permissions|change_password|set_topic_permissions',
      'policy write',
      'token create',
      'acl token|policy|role|bootstrap create|update|bootstrap',
      'acl bootstrap',
      'user|role add|grant-role|grant-permission|passwd',
      'owner add',
      'access grant|public|set',
      'owner --add|-a',
      'access:add|keys:add|members:add|authorizations:create',
      'compute ssh-key create|import',
    ],
  }),
  row('grant rights', 'grants rights on the forge', {
    programs: 'gh glab',
    shapes: [
      'ssh-key|gpg-key|deploy-key add',
      'repo deploy-key add',
      'auth refresh -s|--scopes',
      'repo edit --visibility=public',
      'org|repo|team invite|add-member',
    ],
  }),
  row('open firewall', 'lets others in through the firewall', {
    programs: 'aws gcloud az doctl hcloud linode-cli openstack',
    shapes: [
      'ec2 /^(authorize-security-group-(ingress|egress)|create-network-acl-entry|replace-network-acl-entry)$/',
      'compute firewall-rules create|update',
      'compute firewall create|add-rules|update',
      'app firewall-rules create|update',
      'network nsg rule create|update',
      '* firewall-rule create|update',
      '* * firewall-rule create|update',
      'vm open-port',
      'firewall add-rule|create|apply-to-resource',
      'security group rule create',
    ],
  }),
  row('grant rights', 'grants rights or a login', {
    of: {
      wp: { first: /^user$/, second: /^(create|set-role|add-role|add-cap|reset-password)$/ },
      drush: { first: /^user[:-](create|add-role|role:add|password)$/ },
      occ: { first: /^(user:add|group:adduser|user:resetpassword)$/ },
      'manage.py django-admin flask': { first: /^(createsuperuser|changepassword)$/ },
      gh: { first: /^(ssh-key|gpg-key|deploy-key)$/, second: /^add$/ },
    },
  }),
  row('sql GRANT', 'grants rights in the database', { programs: '' }),
  row('open firewall', 'lets others draw on and read this screen', { programs: 'xhost', shapes: ['/^\\+/'] }),
  row('add login', 'adds a login or a group', {
    programs: 'useradd adduser groupadd addgroup newusers createuser luseradd',
    shapes: ['+'],
    of: { dscl: { operand: /^-?(create|append)$/ } },
  }),
  row('persistence', 'sets up what runs later, or at each start', {
    of: {
      'launchctl update-rc.d rc-update chkconfig schtasks loginctl': {
        argument: /^(load|bootstrap|submit|defaults|defaults-disabled|add|on|\/create|enable-linger|--add)$/i,
      },
      'systemd-run': { argument: /^--on-|^--timer-property/ },
      'at batch': { not: { argument: /^-[lqVcdr]/ }, any: [{ given: 'arguments' }, { given: 'input' }] },
    },
  }),
];

/** Processes, services, power, batch jobs and sessions. */
export const PROCESS_RULES: readonly Rule[] = [
  row('pkill -9', 'pkill -9', {
    bounded: 'signals',
    programs: 'pkill killall skill slay killall5',
    // A signal can be written in five ways.
    when: (call) => isKill(signalOf(call)) || call.has('-9', '-KILL'),
  }),
  row('pkill', 'ends processes by name', {
    bounded: 'signals',
    programs: 'pkill killall skill slay killall5 xkill fkill taskkill fuser snice tskill',
    // A signal can be written in five ways; `fuser` accepts a signal only with its own option.
    when: (call) => {
      if (call.program === 'fuser') return call.has('-k', '--kill');
      return !isQuiet(call) && (call.args.length > 0 || call.program === 'xkill' || call.program === 'killall5');
    },
  }),
  row('power', 'stops or restarts the machine', {
    shapes: [
      'reboot|poweroff|halt|kexec|suspend|hibernate|hybrid-sleep|soft-reboot|rescue|emergency|isolate|exit|default|switch-root',
    ],
    of: {
      'shutdown reboot halt poweroff init telinit pm-suspend pm-hibernate systemctl loginctl kexec': {
        not: { shape: '--help|-w|--wtmp-only' },
      },
    },
  }),
  row('service off', 'stops a service or the machine', {
    of: {
      chkconfig: { any: [{ argument: /^off$/ }, { argument: /^--del$/ }] },
      's6-svc svc': { argument: /^-\w*[dkxtoXr]/ },
      's6-rc': { any: [{ argument: /^-d$/ }, { argument: /^stop$/ }] },
      'dbus-send busctl gdbus': {
        argument:
          /(^|\.)(Reboot|PowerOff|Halt|Suspend|Hibernate|StopUnit|RestartUnit|KillUnit|DisableUnitFiles|TerminateSession|KillSession)(WithFlags)?$/,
      },
    },
  }),
  row('shutdown', 'stops or restarts the machine', {
    programs: 'kexec',
    shapes: [''],
    of: {
      'shutdown reboot halt poweroff init telinit pm-suspend pm-hibernate': {
        not: { shape: '--help|-w|--wtmp-only|-c|--show|-k' },
      },
    },
  }),
  row('service control', 'stops or changes a service', {
    programs:
      'service rc-service rc-update sv s6-svc launchctl initctl supervisorctl pm2 monit runsvctl update-rc.d chkconfig invoke-rc.d loginctl nssm sc circusctl god forever nginx apachectl apache2ctl httpd pg_ctl pg_ctlcluster mysqladmin rabbitmqctl redis-server catalina.sh varnishadm caddy uwsgi gunicorn unicorn sidekiqctl machinectl a2dissite a2dismod nodetool snap-service immortalctl',
    shapes: [
      'stop|restart|try-restart|reload-or-restart|condrestart|disable|mask|kill|revert|daemon-reexec|set-default|delete|del|remove|bootout|unload|force-stop|down|flush|stopall|stop_app|reset|force_reset|purge_queue|delete_queue|delete_user|delete_vhost|clear_permissions|terminate-session|terminate-user|kill-session|kill-user|poweroff|decommission|removenode|assassinate|clearsnapshot|shutdown|drop|link|set-property|edit',
      '* stop|restart|force-stop|force-reload|disable|kill|remove',
      '-s=/stop|quit|reopen/',
      'graceful-stop',
      '-k=/stop|graceful-stop|restart/',
    ],
    of: {
      systemctl: {
        any: [
          { not: { first: /^(status|is-active|show|cat|list-units|enable|start|edit|link)$/ } },
          { first: /^edit$/, shape: '--full|--force' },
        ],
      },
      'stop restart brew-services haproxy': NEVER,
      net: { any: [{ first: /^stop$/ }, { first: /^user$/, shape: '/delete' }] },
    },
  }),
  row('batch jobs', 'cancels jobs', {
    programs: 'scancel qdel bkill condor_rm oardel canceljob llcancel mjobctl lprm cancel',
    shapes: [''],
    of: { scontrol: { first: /^(delete|shutdown|reboot|requeue|suspend)$/ } },
  }),
  row('powershell', 'deletes, overwrites or stops something', {
    programs:
      'Remove-Item Clear-Content Clear-RecycleBin Clear-Disk Format-Volume Stop-Process Stop-Service Stop-Computer Restart-Computer Restart-Service Remove-ItemProperty Set-Content Out-File Initialize-Disk Remove-Partition Uninstall-Package Remove-LocalUser Remove-VM Clear-EventLog Clear-History Disable-NetAdapter Remove-NetFirewallRule ri rd del erase rmdir.exe spps kill.exe Remove-Module-Force Set-ExecutionPolicy Unregister-ScheduledTask Remove-ADUser Remove-Job Clear-Item Move-Item-Force rd.exe deltree format.com taskkill diskpart',
    shapes: [''],
    of: { cipher: { call: /\/w/i } },
  }),
  row('terminal session', 'ends a terminal session', {
    programs: 'tmux zellij byobu pkill-session dtach abduco',
    shapes: [
      'kill-server|kill-session|kill-window|kill-pane|killp|killw|respawn-pane',
      'kill-session|delete-session|kill-all-sessions|delete-all-sessions|ka|da|k|d +',
      'terminate-session|terminate-user|kill-user|kill-session|terminate-seat',
    ],
    of: { loginctl: { first: /^(terminate|kill)/ } },
  }),
];
