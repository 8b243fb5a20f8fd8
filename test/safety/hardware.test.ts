import { describe, expect, test } from 'vitest';
import { judgeCommand } from '../../src/safety/index.ts';

describe('programs that show what a machine is made of and busy with', () => {
  test.each([
    'sensors -u',
    'sensors coretemp-isa-0000',
    'acpi -V',
    'ldconfig -p | grep libssl',
    'ldconfig --print-cache',
    'pmap -x 4711',
    'pwdx 4711',
    'sudo dmidecode -t memory -q',
    'sudo lshw -short -C disk',
    'sudo iotop -b -n 1 -o',
    'udevadm info -a -n /dev/sda',
    'udevadm info --query=property --name=sda',
    'coredumpctl list --since=today --no-pager',
    'sw_vers -productVersion',
    'vm_stat -c 3 1',
  ])('%s only looks', (line) => {
    expect(judgeCommand(line).verdict).toBe('safe');
  });

  test.each([
    'sensors -s',
    'sensors -c evil.conf',
    'ldconfig',
    'ldconfig -v -p',
    'ldconfig -p -f evil.conf',
    'ldconfig /tmp/lib',
    'pmap -n',
    'pmap -N rc',
    'dmidecode --dump-bin out',
    'dmidecode -d /dev/sda',
    'lshw -dump out.db',
    'lshw -X',
    'iotop',
    'udevadm info -c',
    'udevadm info --cleanup-db',
    'udevadm trigger',
    'udevadm control --exit',
    'coredumpctl dump -o core',
    'coredumpctl debug',
    'coredumpctl list -o core',
    'LD_PRELOAD=./x.so sensors',
  ])('%s is not known to', (line) => {
    expect(judgeCommand(line).verdict).not.toBe('safe');
  });
});
