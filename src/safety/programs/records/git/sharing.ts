import type { Spec } from '../../record.ts';
import { judgeClone, judgeFetch, judgePull, judgePush, judgeRemote } from './judges.ts';

/** What talks to another repository. */
export const SHARING: Readonly<Record<string, Spec>> = {
  fetch: {
    tune: '-4 -6 -a -j= -k -n -q -t -v --all --append --atomic --auto-gc --no-auto-gc --auto-maintenance --deepen= --filter= --ipv4 --ipv6 --jobs= --keep --multiple --negotiate-only --negotiation-tip= --no-prune --no-recurse-submodules --no-tags --porcelain --progress --no-progress --quiet --refetch --tags --unshallow --update-shallow --verbose --write-fetch-head --no-write-fetch-head',
    load: '--upload-pack= -o= --server-option= --recurse-submodules[=] --stdin',
    delete:
      '--depth= --shallow-exclude= --shallow-since= -f -p -P -u --prune --prune-tags --force --update-head-ok --refmap= --set-upstream',
    dry: '--dry-run',
    operands: 'tune',
    judge: judgeFetch,
  },
  'ls-remote': {
    tune: '-h -q -t -b --branches --exit-code --get-url --heads --quiet --refs --sort= --symref --tags',
    load: '--upload-pack= --exec= -o= --server-option=',
    operands: 'tune',
    judge: judgeRemote,
  },
  clone: {
    tune: '-# -4 -6 -b= -j= -l -n -o= -q  -v --also-filter-submodules --bare --branch= --depth= --dissociate --filter= --jobs= --local --mirror --no-checkout --no-hardlinks --no-single-branch --no-tags --origin= --progress --quiet --reject-shallow --no-reject-shallow --shallow-exclude= --shallow-since= --single-branch --sparse --verbose --no-local --tags ',
    load: '-c= --config= -u= --upload-pack= --template= --recurse-submodules[=] --recursive --shallow-submodules --separate-git-dir= --reference= --reference-if-able= --server-option= --bundle-uri= -s --shared',
    operands: 'tune add',
    judge: judgeClone,
  },
  pull: {
    tune: '-4 -6 -j= -n -q -r[=] -v -a --all --autostash --no-autostash --commit --ff --ff-only --jobs= --keep --no-ff --no-rebase --no-tags --progress --no-progress --quiet --rebase[=] --stat --no-stat --tags --unshallow --verbose --verify --no-edit --no-recurse-submodules',
    load: '--upload-pack= -e --edit -X= -s= --strategy= --strategy-option= --recurse-submodules[=] -S[=] --gpg-sign[=]',
    delete: '--depth= --prune -p -f --force --squash --no-commit --refmap= --set-upstream --allow-unrelated-histories',
    operands: 'tune',
    judge: judgePull,
  },
  push: {
    tune: '-4 -6 -q -u -v -n  --atomic --follow-tags --no-follow-tags --ipv4 --ipv6 --no-progress --no-signed --porcelain --progress --quiet --set-upstream --tags --thin --no-thin --verbose --no-recurse-submodules --no-force-with-lease --verify',
    load: '--receive-pack= --exec= --repo= --signed[=] -o= --push-option= --recurse-submodules=',
    delete:
      '-d -f --all --branches --delete --force --force-if-includes --force-with-lease[=] --mirror --no-verify --prune',
    dry: '-n --dry-run',
    undry: '--no-dry-run',
    operands: 'tune',
    judge: judgePush,
  },
};
