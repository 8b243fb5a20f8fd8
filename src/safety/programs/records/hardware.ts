import { unknown } from '../../verdict.ts';
import { given, type Records } from '../record.ts';

/** What a machine is made of and busy with: looking only. What they could set or save is not listed, and so not known. */
export const HARDWARE: Records = {
  sensors: {
    tune: '-A -f -j -n -u --allow-no-sensors --bus-list --fahrenheit --no-adapter',
    idle: '-h -v',
    operands: 'tune',
  },
  acpi: {
    tune: '-V -a -b -c -f -i -k -s -t --ac-adapter --battery --cooling --details --everything --fahrenheit --kelvin --show-empty --thermal',
    idle: '-h -v',
  },
  ldconfig: {
    tune: '-p --print-cache',
    idle: '-V -?',
    judge: (_, reading) =>
      given(reading, '-p', '--print-cache') ? undefined : unknown('ldconfig makes the list of libraries anew'),
  },
  pmap: {
    tune: '-A= -X -d -p -q -x --device --extended --quiet --range= --show-path',
    idle: '-V -h',
    operands: 'tune',
  },
  pwdx: { idle: '-V -h', operands: 'tune' },
  dmidecode: { tune: '-H= -q -s= -t= --handle= --no-sysfs --quiet --string= --type=', idle: '-V -h' },
  lshw: {
    singleDash: true,
    tune: '-C= -businfo -c= -class= -disable= -enable= -html -json -notime -numeric -quiet -sanitize -short -xml',
  },
  iotop: {
    tune: '-P -a -b -d= -k -n= -o -p= -q -t -u= --accumulated --batch --delay= --iter= --kilobytes --only --pid= --processes --quiet --time --user=',
    idle: '-h',
    judge: (_, reading) =>
      given(reading, '-b', '--batch') ? undefined : unknown('iotop has keys that change priorities'),
  },
  udevadm: {
    subs: {
      info: {
        tune: '-P= -a -d= -e -n= -p= -q= -r -t -x --attribute-walk --device-id-of-file= --export --export-db --export-prefix= --name= --path= --query= --root --tree',
        operands: 'tune',
      },
    },
  },
  coredumpctl: {
    subs: {
      list: {
        tune: '-1 -F= -S= -U= -n= -q -r --field= --json= --no-legend --no-pager --quiet --reverse --since= --until=',
        operands: 'tune',
      },
    },
  },
  sw_vers: { singleDash: true, tune: '-productName -productVersion -buildVersion' },
  vm_stat: { tune: '-c=', operands: 'tune' },
};
