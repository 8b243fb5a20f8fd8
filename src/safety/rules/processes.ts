import { isKill, isQuiet, signalOf } from '../programs/ownership.ts';
import { NEVER, type Rule } from './rule.ts';

/** Processes, services, power, batch jobs and sessions. */
export const PROCESS_RULES: readonly Rule[] = [
  {
    name: 'pkill -9',
    programs: 'pkill killall skill slay killall5',
    // A signal is written in five ways.
    when: (call) => isKill(signalOf(call)) || call.has('-9', '-KILL'),
    reason: 'pkill -9',
    match: ['pkill -9 node', 'killall -9 firefox', 'pkill --signal KILL x', 'killall -s KILL x'],
    pass: ['pkill -0 x', 'pgrep node'],
  },
  {
    name: 'pkill',
    programs: 'pkill killall skill slay killall5 xkill fkill taskkill fuser snice tskill',
    // A signal is written in five ways; `fuser` knows no signal without its own option.
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
    shapes: [
      'reboot|poweroff|halt|kexec|suspend|hibernate|hybrid-sleep|soft-reboot|rescue|emergency|isolate|exit|default|switch-root',
    ],
    of: {
      'shutdown reboot halt poweroff init telinit pm-suspend pm-hibernate systemctl loginctl kexec': {
        not: { shape: '--help|-w|--wtmp-only' },
      },
    },
    reason: 'stops or restarts the machine',
    match: ['systemctl reboot', 'systemctl isolate rescue.target'],
    pass: ['systemctl status', 'last reboot'],
  },
  {
    name: 'service off',
    of: {
      chkconfig: { any: [{ argument: /^off$/ }, { argument: /^--del$/ }] },
      's6-svc svc': { argument: /^-\w*[dkxtoXr]/ },
      's6-rc': { any: [{ argument: /^-d$/ }, { argument: /^stop$/ }] },
      'dbus-send busctl gdbus': {
        argument:
          /(^|\.)(Reboot|PowerOff|Halt|Suspend|Hibernate|StopUnit|RestartUnit|KillUnit|DisableUnitFiles|TerminateSession|KillSession)(WithFlags)?$/,
      },
    },
    reason: 'stops a service or the machine',
    match: [
      'chkconfig sshd off',
      's6-svc -d /run/service/x',
      'dbus-send --system --dest=org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager.Reboot boolean:true',
    ],
    pass: ['chkconfig --list', 's6-svc -u /run/service/x', 'busctl list'],
  },
  {
    name: 'shutdown',
    programs: 'kexec',
    shapes: [''],
    of: {
      'shutdown reboot halt poweroff init telinit pm-suspend pm-hibernate': {
        not: { shape: '--help|-w|--wtmp-only|-c|--show|-k' },
      },
    },
    reason: 'stops or restarts the machine',
    match: ['shutdown -h now', 'reboot', 'poweroff', 'init 0', 'shutdown -r +5', 'kexec -e', 'halt -f'],
    pass: ['shutdown -c', 'shutdown --help', 'shutdown -k now'],
  },
  {
    name: 'service control',
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
    name: 'batch jobs',
    programs: 'scancel qdel bkill condor_rm oardel canceljob llcancel mjobctl lprm cancel',
    shapes: [''],
    of: {
      scontrol: { first: /^(delete|shutdown|reboot|requeue|suspend)$/ },
    },
    reason: 'cancels jobs',
    match: ['scancel -u bob', 'qdel 12', 'lprm -', 'scontrol delete reservation=x'],
    pass: ['squeue', 'scontrol show job 3', 'lpq'],
  },
  {
    name: 'powershell',
    programs:
      'Remove-Item Clear-Content Clear-RecycleBin Clear-Disk Format-Volume Stop-Process Stop-Service Stop-Computer Restart-Computer Restart-Service Remove-ItemProperty Set-Content Out-File Initialize-Disk Remove-Partition Uninstall-Package Remove-LocalUser Remove-VM Clear-EventLog Clear-History Disable-NetAdapter Remove-NetFirewallRule ri rd del erase rmdir.exe spps kill.exe Remove-Module-Force Set-ExecutionPolicy Unregister-ScheduledTask Remove-ADUser Remove-Job Clear-Item Move-Item-Force rd.exe deltree format.com taskkill diskpart',
    shapes: [''],
    of: {
      cipher: { call: /\/w/i },
    },
    reason: 'deletes, overwrites or stops something',
    match: ["pwsh -c 'Remove-Item -Recurse -Force x'", 'powershell -Command "Stop-Process -Id 1"'],
    pass: ["pwsh -c 'Get-ChildItem'"],
  },
  {
    name: 'terminal session',
    programs: 'tmux zellij byobu pkill-session dtach abduco',
    shapes: [
      'kill-server|kill-session|kill-window|kill-pane|killp|killw|respawn-pane',
      'kill-session|delete-session|kill-all-sessions|delete-all-sessions|ka|da|k|d +',
      'terminate-session|terminate-user|kill-user|kill-session|terminate-seat',
    ],
    of: {
      loginctl: { first: /^(terminate|kill)/ },
    },
    reason: 'ends a terminal session',
    match: ['tmux kill-server', 'tmux kill-session -t x', 'loginctl terminate-user bob', 'zellij kill-all-sessions'],
    pass: ['tmux ls', 'tmux new -d -s x', 'loginctl list-sessions'],
  },
];
