import { NEVER, type Rule } from './rule.ts';

/** Network, firewall and kernel. */
export const NETWORK_RULES: readonly Rule[] = [
  {
    name: 'firewall',
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
    reason: 'changes the firewall',
    match: [
      'iptables -F',
      'sudo iptables -P INPUT DROP',
      'iptables -t nat -D PREROUTING 1',
      'ufw disable',
      'ufw --force reset',
      'nft flush ruleset',
      'firewall-cmd --permanent --remove-service=ssh',
      'ipset destroy',
      'pfctl -F all',
      'iptables-restore < rules.v4',
      'iptables -A INPUT -j DROP',
    ],
    pass: [
      'iptables -L -n -v',
      'iptables -S',
      'ufw status verbose',
      'nft list ruleset',
      'firewall-cmd --list-all',
      'ipset list',
      'nft -c -f rules',
      'iptables -t nat -nvL',
    ],
  },
  {
    name: 'network interface',
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
    reason: 'changes the network',
    match: [
      'ip link set eth0 down',
      'ip addr flush dev eth0',
      'ip route del default',
      'ifconfig eth0 down',
      'nmcli con delete x',
      'route del default',
      'ip link delete br0',
      'nmcli networking off',
      'tc qdisc del dev eth0 root',
      'ip -4 route flush cache',
      'ethtool -s eth0 speed 10',
    ],
    pass: [
      'ip a',
      'ip addr show',
      'ip route get 1.1.1.1',
      'ifconfig',
      'ifconfig eth0',
      'nmcli con show',
      'ethtool eth0',
      'tc qdisc show',
      'ip -s link',
      'arp -a',
      'route -n',
      'ip link show up',
    ],
  },
  {
    name: 'kernel',
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
    reason: 'changes the running kernel',
    match: [
      'sysctl -w net.ipv4.ip_forward=0',
      'rmmod nvidia',
      'modprobe -r kvm',
      'sysctl kernel.panic=1',
      'insmod x.ko',
      'dkms remove x/1 --all',
    ],
    pass: ['sysctl -a', 'sysctl net.ipv4.ip_forward', 'lsmod', 'modinfo kvm', 'modprobe -n -v x'],
  },
  {
    name: 'name service',
    of: {
      nsupdate: { any: [{ says: /\bdelete\b/ }, { given: 'operands' }] },
      rndc: { first: /^(stop|halt|flush|delzone|clean|freeze)/ },
      'dig systemd-resolve dscacheutil': NEVER,
      'unbound-control': { first: /^(stop|flush|local_zone_remove|forward_remove)/ },
      pdnsutil: { first: /^(delete|clear|replace|unset)-/ },
    },
    reason: 'removes name records',
    match: [
      'printf "update delete a.example A\\nsend\\n" | nsupdate',
      'rndc delzone example.com',
      'pdnsutil delete-zone example.com',
    ],
    pass: ['dig example.com', 'rndc status', 'pdnsutil list-zone example.com'],
  },
  {
    name: 'copy over a system file elsewhere',
    of: {
      'scp rsync': { last: /^[^/:]+::?\/(etc|boot|usr|bin|sbin|lib|dev\/[a-z]|root\/\.ssh)\/?/ },
    },
    reason: 'overwrites a file of the system on another machine',
    match: ['scp a h:/etc/passwd', 'rsync a root@h:/etc/hosts'],
    pass: ['scp h:/etc/passwd a', 'scp a h:/srv/app/', 'rsync -a h:/etc/ backup/'],
  },
];
