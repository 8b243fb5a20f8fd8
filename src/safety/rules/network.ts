import type { Rule } from './rule.ts';

/** Network, firewall and kernel. */
export const NETWORK_RULES: readonly Rule[] = [
  {
    name: 'firewall',
    programs:
      'iptables ip6tables iptables-restore ip6tables-restore nft ufw firewall-cmd ebtables arptables ipset pfctl ipfw netsh fail2ban-client csf shorewall ferm firewalld iptables-legacy iptables-nft conntrack lokkit susefirewall2',
    when: (call) => {
      const words = call.args.map((field) => field.text);
      const line = words.join(' ');
      const first = call.operands[0]?.text ?? '';
      switch (call.program) {
        case 'nft':
          return (
            /\b(flush|delete|add|insert|replace|reset|destroy|create|rename)\b/.test(line) || call.has('-f', '--file')
          );
        case 'ufw':
          return (
            /^(disable|reset|delete|deny|reject|allow|enable|default|limit|insert|route|reload|prepend|logging)$/.test(
              first,
            ) || call.has('--force')
          );
        case 'firewall-cmd':
          return (
            /--(remove|add|set|reload|complete-reload|panic-on|runtime-to|delete|reset|new|change|permanent)/.test(
              line,
            ) && !/^(--permanent )?--(list|get|query|info|state)/.test(line)
          );
        case 'ipset':
          return /^(flush|destroy|del|swap|restore|x|f|add|create|rename|-X|-F|-D)$/.test(words[0] ?? '');
        case 'pfctl':
          return (
            (call.has('-F', '-d', '-k', '-f') && !call.has('-n')) ||
            call.args.some((field) => /^-\w*[FdkKe]/.test(field.text))
          );
        case 'ipfw':
          return (
            /^(flush|delete|add|-f|-q|zero|resetlog|set)$/.test(words[0] ?? '') ||
            call.args.some((field) => /^(flush|delete)$/.test(field.text))
          );
        case 'netsh':
          return /\b(delete|reset|set|add)\b/.test(line);
        case 'fail2ban-client':
          return /\b(stop|reload|restart|unban|unbanip|set|flushlogs)\b/.test(line);
        case 'conntrack':
          return call.has('-D', '-F', '--delete', '--flush', '-U');
        case 'csf':
        case 'shorewall':
          return /^(-[xfdtr]|-dr|stop|clear|reset|drop|reject)$/.test(words[0] ?? '');
        case 'iptables-restore':
        case 'ip6tables-restore':
          return true;
        default:
          return (
            words.some((word) =>
              /^(-[A-Za-z]*[FXDAIPRZNE]|--(flush|delete|delete-chain|append|insert|policy|replace|zero|new-chain|rename-chain))$/.test(
                word,
              ),
            ) && !words.some((word) => /^(-[a-z]*L[a-z]*|-S|--list|--list-rules|-C|--check)$/.test(word))
          );
      }
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
    programs:
      'ip ifconfig ifdown ifup nmcli route iw iwconfig rfkill ethtool brctl ovs-vsctl ovs-ofctl tc wg wg-quick arp dhclient netplan nmtui networkctl connmanctl resolvectl dhcpcd wpa_cli bridge vconfig tunctl openvpn tailscale zerotier-cli bluetoothctl mii-tool iwctl ipmitool bmc warp-cli mullvad nordvpn ipsec strongswan vtysh birdc teamdctl ifenslave netctl virsh-net hping3 arpspoof ettercap macchanger arping',
    when: (call) => {
      const words = call.operands.map((operand) => operand.text);
      const line = call.args.map((field) => field.text).join(' ');
      const [first = '', second = ''] = words;
      switch (call.program) {
        case 'ip':
          if (call.has('-b', '-batch')) return true;
          return (
            (/^(d|de|del|delete|f|fl|flush|s|set|replace|change|c)$/.test(second) ||
              /\b(down|drop)\b/.test(words.slice(1, 4).join(' '))) &&
            !/^(show|list|ls|get|monitor)$/.test(second)
          );
        case 'ifconfig':
          return words.length > 1 && !/^(-a)$/.test(first);
        case 'ifdown':
          return words.length > 0 || call.has('-a');
        case 'nmcli':
          return (
            /\b(delete|del|down|off|disconnect|modify|reload|edit)\b/.test(words.slice(0, 4).join(' ')) &&
            !/\bshow\b/.test(words.slice(0, 3).join(' '))
          );
        case 'route':
          return /^(del|delete|flush|change)$/.test(first) || call.has('-f');
        case 'rfkill':
          return first === 'block';
        case 'ethtool':
          return /(^|\s)(-s|--change|-K|--offload|-G|-A|-E|-e=|--reset|-f|--flash|-t|-p=|-X|-C|-L)\b/.test(line);
        case 'brctl':
          return /^(delbr|delif|setfd|stp)$/.test(first);
        case 'ovs-vsctl':
          return /^(del-|clear|destroy|remove|emer-reset|set)/.test(first) || /\bdel-\w+/.test(line);
        case 'ovs-ofctl':
          return /^del-/.test(first);
        case 'tc':
          return /\b(del|delete|replace|change|add)\b/.test(words.slice(1, 2).join(' '));
        case 'wg':
          return /^(set|setconf|syncconf)$/.test(first);
        case 'wg-quick':
        case 'ipsec':
          return /^(down|stop|restart)$/.test(first);
        case 'arp':
          return call.has('-d', '--delete', '-s', '--set');
        case 'dhclient':
        case 'dhcpcd':
          return call.has('-r', '-k', '--release', '-x');
        case 'netplan':
          return /^(apply|try)$/.test(first);
        case 'networkctl':
          return /^(down|delete|renew|forcerenew|reconfigure)$/.test(first);
        case 'resolvectl':
          return /^(revert|reset-\w+|dns|domain)$/.test(first) && words.length > 1;
        case 'tailscale':
          return /^(down|logout)$/.test(first);
        case 'ipmitool':
          return /\b(power|chassis) (off|cycle|reset|soft|power)|\bsel clear|\bmc reset|\buser (set|disable)|\bpower (off|cycle|reset)/.test(
            line,
          );
        case 'bridge':
          return /^(del|delete|flush)$/.test(second);
        case 'warp-cli':
        case 'mullvad':
        case 'nordvpn':
          return /^(disconnect|d|logout|delete)$/.test(first);
        case 'bluetoothctl':
          return /^(remove|disconnect|block|power)$/.test(first);
        case 'iwctl':
        case 'wpa_cli':
          return /\b(disconnect|forget|remove_network|terminate|disable_network|flush)\b/.test(line);
        case 'macchanger':
          return true;
        case 'connmanctl':
          return /^(disable|disconnect)$/.test(first);
        case 'openvpn':
        case 'vtysh':
        case 'birdc':
          return /\b(no |clear|disable|down|delete|configure terminal)\b/.test(line);
        default:
          return false;
      }
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
    programs:
      'sysctl modprobe rmmod insmod kmod dkms depmod udevadm echo_sysrq kexec livepatch setpci wrmsr perf cpupower cgdelete cgset cgclassify ulimit swapon prlimit bpftool setserial modprobe.d msr-tools',
    when: (call) => {
      const line = call.args.map((field) => field.text).join(' ');
      const first = call.operands[0]?.text ?? '';
      switch (call.program) {
        case 'sysctl':
          return (
            call.has('-w', '--write', '-p', '--load', '--system') ||
            call.operands.some((operand) => operand.text.includes('='))
          );
        case 'modprobe':
          return (
            call.has('-r', '--remove') ||
            (call.operands.length > 0 &&
              !call.has('-n', '--dry-run', '--show', '-c', '--showconfig', '-D', '--show-depends', '--resolve-alias'))
          );
        case 'kmod':
          return /^(unload|remove|insert|load)$/.test(first);
        case 'rmmod':
        case 'insmod':
        case 'wrmsr':
        case 'cgdelete':
          return call.args.length > 0;
        case 'dkms':
          return /^(remove|uninstall|unbuild)$/.test(first);
        case 'udevadm':
          return first === 'trigger' && /remove/.test(line);
        case 'setpci':
          return /=/.test(line);
        case 'cpupower':
          return /^(frequency-set|idle-set|set)$/.test(first);
        case 'bpftool':
          return /\b(detach|delete|unpin)\b/.test(line);
        default:
          return false;
      }
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
    programs: 'nsupdate rndc dig unbound-control pdnsutil systemd-resolve dscacheutil',
    when: (call) => {
      const line = `${call.args.map((field) => field.text).join(' ')} ${call.io.stdin ?? ''}`;
      if (call.program === 'nsupdate') return /\bdelete\b/.test(line) || call.operands.length > 0;
      if (call.program === 'rndc') return /^(stop|halt|flush|delzone|clean|freeze)/.test(call.operands[0]?.text ?? '');
      if (call.program === 'pdnsutil') return /^(delete|clear|replace|unset)-/.test(call.operands[0]?.text ?? '');
      if (call.program === 'unbound-control')
        return /^(stop|flush|local_zone_remove|forward_remove)/.test(call.operands[0]?.text ?? '');
      return false;
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
    programs: 'scp rsync',
    when: (call) =>
      /^[^/:]+::?\/(etc|boot|usr|bin|sbin|lib|dev\/[a-z]|root\/\.ssh)\/?/.test(call.operands.at(-1)?.text ?? ''),
    reason: 'overwrites a file of the system on another machine',
    match: ['scp a h:/etc/passwd', 'rsync a root@h:/etc/hosts'],
    pass: ['scp h:/etc/passwd a', 'scp a h:/srv/app/', 'rsync -a h:/etc/ backup/'],
  },
];
