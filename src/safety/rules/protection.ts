import { OF_THE_MACHINE, startsWithMachine } from '../programs/compose.ts';
import { type Given, row } from '../programs/record.ts';
import { NEVER, type Rule } from './rule.ts';

/** Returns whether an option of ssh lets the other machine in, by a port or as a network. */
function opensWayIn({ name, value = '' }: Given): boolean {
  if (name === '-R' || name === '-w') return true;
  return name === '-o' && /^\s*(RemoteForward\s*[= ]|Tunnel\s*[= ]\s*(?!no\b))/i.test(value);
}

/** Rules for a machine’s protection, for whom it trusts, and for which of its services others can reach. */
export const PROTECTION_RULES: readonly Rule[] = [
  row('protection off', 'turns off protection of the machine, or changes whom it trusts', {
    programs: 'aa-disable aa-complain aa-teardown aa-remove-unknown quotaoff',
    shapes: [''],
    of: {
      semanage: { first: /^permissive$/, shape: '-a|--add' },
      'update-ca-certificates update-ca-trust': { shape: '--fresh|-f' },
      trust: { first: /^anchor$/, given: 'operands' },
      security: { first: /^(add-trusted-cert|add-certificates|authorizationdb)$/ },
      visudo: { not: { shape: '-c|--check|--help|-V|--version' } },
      'socketfilterfw /usr/libexec/ApplicationFirewall/socketfilterfw': {
        line: /--set\w+ (off|disabled)|--(remove|add|unblock)/,
      },
      defaults: {
        first: /^write$/,
        line: /loginwindow|screensaver|LSQuarantine|com\.apple\.(alf|security|TimeMachine|SoftwareUpdate)/,
      },
      profiles: { any: [{ first: /^(remove|install)$/ }, { shape: '-R|-D|-I' }] },
      bless: {
        shape: '--folder|--mount|--device|--setBoot|-folder|-mount|-setBoot',
        not: { shape: '--info|--getBoot' },
      },
      nsenter: { any: [{ value: ['-t|--target', /^1$/] }, { line: /(^|\s)(-t1|--target=1)(\s|$)/ }] },
      'xdg-settings xdg-mime': { first: /^(set|default)$/ },
    },
  }),
  row('machine given to a container', 'gives a container the whole machine', {
    of: {
      docker: {
        first: /^(run|create|container)$/,
        any: [
          { shape: '--privileged' },
          { line: new RegExp(String.raw`(^|\s)(-[a-zA-Z]*v|--volume)[= ]?${OF_THE_MACHINE}:`) },
          { line: /\/docker\.sock\b/ },
          { line: new RegExp(String.raw`--mount[= ]\S*(src|source)=${OF_THE_MACHINE}(,|\s|$)`) },
          { line: /--(pid|ipc|userns)[= ]host\b/ },
          { line: /--device[= ]\/dev\/(sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|md\d|dm-|mapper\/|k?mem\b)/ },
        ],
      },
    },
  }),
  row('machine given to a container', 'gives a container the whole machine', {
    programs: 'docker docker-compose',
    // Words after the container’s name are options of the command inside.
    when: ({ reading }) =>
      reading?.path.at(-1) === 'exec' &&
      reading.given.some(({ name, value }) => name === '--privileged' && value !== 'false'),
  }),
  row('machine given to a container', 'gives a container the whole machine', {
    programs: 'docker docker-compose',
    when: startsWithMachine,
  }),
  row('cluster change unseen', 'changes the cluster by unseen files, or removes a part', {
    of: {
      'kubectl oc': {
        any: [
          { first: /^(apply|create|replace)$/, line: /(^|\s)(-f|--filename)[= ]?https?:/ },
          { first: /^patch$/, line: /:\s*null\b|"(?:Delete|Recycle)"/ },
        ],
        not: { line: /--dry-run/ },
      },
    },
  }),
  row('foreign code first', 'has code of anybody run before every program', { programs: '' }),
  row('way in', 'opens a way into this machine from outside', {
    programs: 'ssh autossh',
    // The host is followed by a remote command with its own options.
    when: ({ reading }) => reading?.given.some(opensWayIn) === true,
  }),
  row('way in', 'opens a way into this machine from outside', {
    of: {
      ngrok: { first: /^(tcp|http|tls|start|tunnel)$/ },
      cloudflared: { first: /^(tunnel|access)$/, any: [{ shape: '--url' }, { operand: /^run$/ }] },
      'bore localtunnel lt': { any: [{ first: /^local$/ }, { shape: '-p|--port' }] },
      tailscale: { first: /^funnel$/, not: { second: /^status$/ } },
      chisel: { first: /^client$/, operand: /^R:/ },
    },
  }),
  row('dump of memory', "takes a program's memory, with the keys in it", {
    programs: 'gcore procdump',
    shapes: ['+'],
    of: {
      criu: { first: /^dump$/, not: { shape: '-R|--leave-running' } },
      'mimikatz pypykatz secretsdump.py impacket-secretsdump lazagne laZagne.py': {},
    },
  }),
  row('mail and print jobs', 'removes mail, printers or their jobs', {
    of: {
      postsuper: { shape: '-d|-h|-H|-r' },
      'exim exim4': { argument: /^-M(rm|f|g|t|es|vb)?$|^-Mrm/ },
      lpadmin: { shape: '-x|-d' },
      qmHandle: { argument: /^-[dD]/ },
    },
  }),
  row('device elsewhere', 'changes or wipes another device', {
    programs: 'snmpset idevicerestore futurerestore',
    shapes: ['+'],
    of: {
      racadm: {
        line: /serveraction (power(down|cycle)|hardreset|graceshutdown)|racreset|resetcfg|clrsel|\bdelete\b|systemerase/,
      },
      mosquitto_pub: { shape: '-r|--retain', any: [{ shape: '-n|--null-message' }] },
      cadaver: { says: /(^|\n)\s*(delete|rmcol|mv|lock)\b/ },
      net: { line: /\/(delete|add)\b/i },
      esptool: { first: /^(erase[-_]flash|erase[-_]region|write[-_]flash)$/ },
      'esptool.py': { first: /^(erase[-_]flash|erase[-_]region|write[-_]flash)$/ },
      avrdude: { argument: /^-U.*:w:|^[\w]+:w:/ },
      ipptool: NEVER,
    },
  }),
  row('index or receipt', 'clears the system’s caches or logs', {
    of: {
      pkgutil: { shape: '--forget' },
      mdutil: { any: [{ shape: '-E|-X' }, { argument: /^-\w*E/ }, { value: ['-i', /^off$/] }] },
      softwareupdate: { shape: '--reset-ignored|--ignore' },
      'zerotier-cli': { first: /^(leave|deorbit)$/ },
      dscacheutil: NEVER,
    },
  }),
];

/** Settings of the system, scheduled jobs, logs, databases as services. */
export const SETTING_RULES: readonly Rule[] = [
  row('mysqladmin', 'drops or overwrites a database', {
    of: {
      mysqladmin: { operand: /^(drop|kill|shutdown|password|flush-\w+|refresh|reload|stop-\w+)$/ },
      'dropdb dropuser pg_dropcluster pg_resetwal pg_rewind pg_archivecleanup vacuumlo': {
        not: { shape: '-n|--dry-run' },
      },
      pgbench: { shape: '-i|--initialize' },
      'mongorestore mongoimport': { shape: '--drop' },
      mysqlimport: { shape: '-d|--delete|-r|--replace' },
      pg_restore: { shape: '-c|--clean|-d|--dbname' },
      myisamchk: { shape: '-r|-o|-f|--recover|--force' },
      'innochecksum pg_createcluster createdb= redis-benchmark': NEVER,
    },
  }),
  row('crontab', 'replaces or removes scheduled jobs', {
    of: {
      'crontab incrontab fcrontab systemd-cron': {
        any: [
          { shape: '-r|-i|--remove' },
          { not: { shape: '-l|-e|-V' }, any: [{ given: 'operands' }, { given: 'input' }] },
        ],
      },
      at: { shape: '-d|-r' },
      'batch anacron': NEVER,
      atrm: { given: 'arguments' },
    },
  }),
  row('logs and history', 'deletes logs or history', {
    of: {
      journalctl: { all: [{ line: /--vacuum-|--rotate|--flush\b/ }, { line: /--vacuum-/ }] },
      history: { shape: '-c|-d|-w' },
      dmesg: { shape: '-C|--clear|-c|--read-clear' },
      logrotate: { shape: '-f|--force' },
      'fc lastlog last btmp': NEVER,
      auditctl: { shape: '-D|-d|-e' },
      log: { first: /^erase$/ },
      wevtutil: { first: /^(cl|clear-log)$/ },
    },
  }),
  row('system settings', 'changes settings of the system', {
    programs: 'setenforce',
    shapes: [''],
    of: {
      'update-alternatives alternatives': { shape: '--remove|--remove-all|--set' },
      'timedatectl hostnamectl localectl': { first: /^set-/ },
      hwclock: { shape: '-w|--systohc|-s|--hctosys|--set' },
      date: { any: [{ shape: '-s|--set' }, { first: /^\d{8,12}(\.\d\d)?$/ }] },
      'dpkg-divert': { shape: '--remove' },
      'ldconfig kernelstub debconf-communicate dpkg-reconfigure plymouth-set-default-theme syslinux nvme-cli raspi-config setterm ntpdate chronyc mandb':
        NEVER,
      'update-grub grub-install dracut mkinitcpio grub-reboot grub2-install kernel-install lilo extlinux rpi-update': {
        not: { shape: '--help|--version|-V|--list-modules|-L|-H|-h' },
      },
      'grub-mkconfig grub2-mkconfig': { shape: '-o|--output' },
      'update-initramfs': { shape: '-d|-u|-c' },
      bootctl: { first: /^(remove|unlink|cleanup|install|set-default|set-oneshot)$/ },
      efibootmgr: { given: 'arguments', not: { shape: '-v|--verbose' } },
      dconf: { first: /^(reset|load|write)$/, not: { first: /^write$/ } },
      gsettings: { first: /^reset/ },
      defaults: { first: /^(delete|remove)$/ },
      xattr: { any: [{ shape: '-d|-c|-r' }, { argument: /^-\w*[cd]/ }] },
      mokutil: { shape: '--reset|--delete|--disable-validation' },
      fwupdmgr: { first: /^(update|install|downgrade|reinstall|activate|switch-branch)$/ },
      flashrom: { shape: '-w|-E|--write|--erase' },
      nvram: { any: [{ shape: '-c|-d' }, { argument: /=/ }] },
      'bcdedit reg': { line: /delete|\/delete|import|\/set/i },
      'csrutil spctl': { line: /disable|clear|--master-disable/ },
      tmutil: {
        first: /^(delete|deletelocalsnapshots|disable|thinlocalsnapshots|restore|removedestination|deleteinprogress)$/,
      },
      'scutil systemsetup networksetup': { line: /(^|\s)-+(set|remove|delete)/i },
      pmset: { given: 'arguments', not: { shape: '-g' } },
    },
  }),
];

/** Network, firewall and kernel. */
export const NETWORK_RULES: readonly Rule[] = [
  row('firewall', 'changes the firewall', {
    programs: 'iptables-restore ip6tables-restore',
    shapes: [''],
    of: {
      'iptables ip6tables ebtables arptables ferm firewalld iptables-legacy iptables-nft lokkit susefirewall2': {
        argument:
          /^(-[A-Za-z]*[FXDAIPRZNE]|--(flush|delete|delete-chain|append|insert|policy|replace|zero|new-chain|rename-chain))$/,
        not: { argument: /^(-[a-z]*L[a-z]*|-S|--list|--list-rules|-C|--check)$/ },
      },
      nft: {
        any: [{ line: /\b(flush|delete|add|insert|replace|reset|destroy|create|rename)\b/ }, { shape: '-f|--file' }],
      },
      ufw: {
        any: [
          {
            first:
              /^(disable|reset|delete|deny|reject|allow|enable|default|limit|insert|route|reload|prepend|logging)$/,
          },
          { shape: '--force' },
        ],
      },
      'firewall-cmd': {
        line: /--(remove|add|set|reload|complete-reload|panic-on|runtime-to|delete|reset|new|change|permanent)/,
        not: { line: /^(--permanent )?--(list|get|query|info|state)/ },
      },
      ipset: { argument0: /^(flush|destroy|del|swap|restore|x|f|add|create|rename|-X|-F|-D)$/ },
      pfctl: { any: [{ shape: '-F|-d|-k|-f', not: { shape: '-n' } }, { argument: /^-\w*[FdkKe]/ }] },
      ipfw: { any: [{ argument0: /^(flush|delete|add|-f|-q|zero|resetlog|set)$/ }, { argument: /^(flush|delete)$/ }] },
      netsh: { line: /\b(delete|reset|set|add)\b/ },
      'fail2ban-client': { line: /\b(stop|reload|restart|unban|unbanip|set|flushlogs)\b/ },
      'csf shorewall': { argument0: /^(-[xfdtr]|-dr|stop|clear|reset|drop|reject)$/ },
      conntrack: { shape: '-D|-F|--delete|--flush|-U' },
    },
  }),
  row('network interface', 'changes the network', {
    programs: 'macchanger',
    shapes: [''],
    of: {
      ip: {
        any: [
          { shape: '-b|-batch' },
          {
            any: [
              { second: /^(d|de|del|delete|f|fl|flush|s|set|replace|change|c)$/ },
              { range: [1, 4, /\b(down|drop)\b/] },
            ],
            not: { second: /^(show|list|ls|get|monitor)$/ },
          },
        ],
      },
      ifconfig: { shape: '* *', not: { first: /^(-a)$/ } },
      ifdown: { any: [{ given: 'operands' }, { shape: '-a' }] },
      'ifup iw iwconfig nmtui vconfig tunctl zerotier-cli mii-tool bmc strongswan teamdctl ifenslave netctl virsh-net hping3 arpspoof ettercap arping':
        NEVER,
      nmcli: {
        range: [0, 4, /\b(delete|del|down|off|disconnect|modify|reload|edit)\b/],
        not: { range: [0, 3, /\bshow\b/] },
      },
      route: { any: [{ first: /^(del|delete|flush|change)$/ }, { shape: '-f' }] },
      rfkill: { first: /^block$/ },
      ethtool: { line: /(^|\s)(-s|--change|-K|--offload|-G|-A|-E|-e=|--reset|-f|--flash|-t|-p=|-X|-C|-L)\b/ },
      brctl: { first: /^(delbr|delif|setfd|stp)$/ },
      'ovs-vsctl': { any: [{ first: /^(del-|clear|destroy|remove|emer-reset|set)/ }, { line: /\bdel-\w+/ }] },
      'ovs-ofctl': { first: /^del-/ },
      tc: { range: [1, 2, /\b(del|delete|replace|change|add)\b/] },
      wg: { first: /^(set|setconf|syncconf)$/ },
      'wg-quick ipsec': { first: /^(down|stop|restart)$/ },
      arp: { shape: '-d|--delete|-s|--set' },
      'dhclient dhcpcd': { shape: '-r|-k|--release|-x' },
      netplan: { first: /^(apply|try)$/ },
      networkctl: { first: /^(down|delete|renew|forcerenew|reconfigure)$/ },
      connmanctl: { first: /^(disable|disconnect)$/ },
      resolvectl: { first: /^(revert|reset-\w+|dns|domain)$/, shape: '* *' },
      'wpa_cli iwctl': { line: /\b(disconnect|forget|remove_network|terminate|disable_network|flush)\b/ },
      bridge: { second: /^(del|delete|flush)$/ },
      'openvpn vtysh birdc': { line: /\b(no |clear|disable|down|delete|configure terminal)\b/ },
      tailscale: { first: /^(down|logout)$/ },
      bluetoothctl: { first: /^(remove|disconnect|block|power)$/ },
      ipmitool: {
        line: /\b(power|chassis) (off|cycle|reset|soft|power)|\bsel clear|\bmc reset|\buser (set|disable)|\bpower (off|cycle|reset)/,
      },
      'warp-cli mullvad nordvpn': { first: /^(disconnect|d|logout|delete)$/ },
    },
  }),
  row('kernel', 'changes the running kernel', {
    of: {
      sysctl: { any: [{ shape: '-w|--write|-p|--load|--system' }, { operand: /=/ }] },
      modprobe: {
        any: [
          { shape: '-r|--remove' },
          {
            given: 'operands',
            not: { shape: '-n|--dry-run|--show|-c|--showconfig|-D|--show-depends|--resolve-alias' },
          },
        ],
      },
      'rmmod insmod wrmsr cgdelete': { given: 'arguments' },
      kmod: { first: /^(unload|remove|insert|load)$/ },
      dkms: { first: /^(remove|uninstall|unbuild)$/ },
      'depmod echo_sysrq kexec livepatch perf cgset cgclassify ulimit swapon prlimit setserial modprobe.d msr-tools':
        NEVER,
      udevadm: { first: /^trigger$/, line: /remove/ },
      setpci: { line: /=/ },
      cpupower: { first: /^(frequency-set|idle-set|set)$/ },
      bpftool: { line: /\b(detach|delete|unpin)\b/ },
    },
  }),
  row('name service', 'removes name records', {
    of: {
      nsupdate: { any: [{ says: /\bdelete\b/ }, { given: 'operands' }] },
      rndc: { first: /^(stop|halt|flush|delzone|clean|freeze)/ },
      'dig systemd-resolve dscacheutil': NEVER,
      'unbound-control': { first: /^(stop|flush|local_zone_remove|forward_remove)/ },
      pdnsutil: { first: /^(delete|clear|replace|unset)-/ },
    },
  }),
  row('copy over a system file elsewhere', 'overwrites a system file on another machine', {
    of: { 'scp rsync': { last: /^[^/:]+::?\/(etc|boot|usr|bin|sbin|lib|dev\/[a-z]|root\/\.ssh)\/?/ } },
  }),
];
