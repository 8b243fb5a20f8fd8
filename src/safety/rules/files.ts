import { DISK, deletesOnlyOwn } from '../programs/paths.ts';
import { NEVER, type Rule } from './rule.ts';

/** Files: deleting, emptying, overwriting. */
export const FILE_RULES: readonly Rule[] = [
  {
    name: 'rm',
    kept: true,
    named: 'files',
    programs: 'rm unlink rmdir rimraf del-cli trash trash-put gio-trash rip',
    shapes: ['+'],
    // What is own hangs on the files.
    when: (call) => !deletesOnlyOwn(call),
    reason: 'deletes files',
  },
  {
    name: 'trash',
    kept: true,
    programs: 'trash-empty trash-rm kioclient5 rmtrash',
    shapes: ['trash --empty', 'remove|trash +', '!--help|--list'],
    of: { gio: { first: /^(trash|remove)$/ } },
    reason: 'deletes files',
  },
  {
    name: 'shred',
    programs: 'shred wipe srm nwipe scrub bleachbit secure-delete sfill sdmem sswap',
    shapes: ['+', '-c|--clean'],
    reason: 'shred',
  },
  {
    name: 'truncate to zero',
    kept: true,
    programs: 'fallocate',
    shapes: ['-s|--size|-r|--reference +', '-p|--punch-hole|-c|--collapse-range|-z|--zero-range'],
    of: { truncate: { not: { value: ['-s|--size', /^\+/] } } },
    reason: 'truncate to zero',
  },
  {
    name: 'rename',
    kept: true,
    programs: 'rename prename mmv perl-rename zmv krename qmv vidir',
    shapes: ['+'],
    reason: 'renames many files, over others if it comes to that',
  },
  {
    name: 'sync tool delete',
    programs: 'mc lftp unison s3cmd s5cmd b2 azcopy mcli csync syncthing',
    shapes: [
      'sync|move|moveto|delete|deletefile|purge|rmdir|rmdirs|cleanup|dedupe|rm|rb|mirror|del|remove|mv|setlifecycle|rm-bucket|delete-bucket|delete-file-version|cancel +',
      '-m rm|rb|mv +',
    ],
    of: { gsutil: { not: { first: /^rsync$/ } } },
    reason: 'deletes files at the other end',
  },
  {
    name: 'duplicate finder -d',
    programs: 'fdupes jdupes rmlint czkawka_cli fclones duff dupeguru hardlink',
    shapes: [
      '-d|--delete|-N|-D|-L|-H',
      '-deleteduplicates=true',
      '-deleteduplicates true',
      'remove|link|dedupe',
      '-makehardlinks',
    ],
    of: { rdfind: { call: /-(deleteduplicates|makehardlinks) true/, not: { call: /-dryrun true/ } } },
    reason: 'deletes files it takes for duplicates',
  },
  {
    name: 'tmp cleaner',
    programs: 'tmpreaper tmpwatch',
    shapes: ['+', '--clean|--remove'],
    of: { 'systemd-tmpfiles': { shape: '--clean|--remove' } },
    reason: 'deletes files by age',
  },
  {
    name: 'in-place editor',
    kept: true,
    of: {
      'yq json': { shape: '-i|--inplace|--in-place|-I' },
      'xmlstarlet xml': { shape: '-L|--inplace' },
      'sd rpl': { shape: '* * *', not: { shape: '-p|--preview|-s|--dry-run' } },
      dasel: { first: /^(put|delete)$/, shape: '-f|--file' },
      crudini: { shape: '--set|--del|--merge' },
      ruplacer: { shape: '--go' },
      'fastmod codemod jscodeshift recode uncrustify toml iniset replace sqlfluff-fix astyle indent': { shape: '* *' },
      comby: { shape: '-i|-in-place' },
      'ast-grep sg': { shape: '-U|--update-all' },
      'dos2unix unix2dos': { given: 'operands', not: { shape: '-n|--newfile|-i|--info|-O|--to-stdout' } },
      augtool: { call: /\b(rm|set|save)\b/ },
      '2to3': { shape: '-w|--write' },
      mlr: { shape: '-I' },
    },
    reason: 'edits files in place',
  },
];

/** Other version control, and the forges; what git itself loses stands in its record. */
export const VERSION_CONTROL_RULES: readonly Rule[] = [
  {
    name: 'git rewrite history',
    kept: true,
    programs: 'git-filter-repo bfg',
    shapes: [
      '--path|--path-glob|--path-regex|--invert-paths|--delete-files|--delete-folders|--strip-blobs-bigger-than|--replace-text',
    ],
    reason: 'rewrites history',
  },
  {
    name: 'forge branch delete',
    programs: 'gh glab',
    shapes: ['pr merge|close -d|--delete-branch', 'mr merge -d|--remove-source-branch'],
    reason: 'deletes the branch on the forge',
  },
  {
    name: 'forge overwrite',
    shapes: ['api -X|--method=/^(PUT|PATCH|put|patch)$/', 'api graphql'],
    of: {
      'gh glab': { any: [{ not: { second: /^graphql$/ } }, { call: /\bmutation\b/ }, { input: /\bmutation\b/ }] },
    },
    reason: 'changes something on the forge',
  },
  {
    name: 'forge delete',
    shapes: [
      '* delete|remove|archive|delete-asset|disable|transfer',
      'run cancel|delete',
      'cache delete',
      'codespace|cs delete|stop',
      'repo sync --force',
      'api -X|--method=DELETE',
      'api --method=DELETE',
      'api -X=DELETE',
      'auth logout',
      'ssh-key|gpg-key|secret|variable|label|release|gist|repo|project|extension delete|remove|rm',
    ],
    of: { 'gh glab hub tea': { not: { first: /^(search|help|completion|browse)$/ } } },
    reason: 'deletes something on the forge',
  },
  {
    name: 'other version control',
    shapes: [
      'strip|purge|rollback|revert|update|histedit|rebase|remove|rm|forget|uncommit|unamend|backout|prune|obliterate|abandon|undo|restore|edit|op|clean|delete|del|move|unrecord|unpull|hide|cleanup',
    ],
    of: {
      'hg sl': {
        any: [
          { first: /^(strip|purge|rollback|revert|histedit|rebase|remove|rm|prune|uncommit|unamend|hide|clean)$/ },
          { first: /^update$/, shape: '-C|--clean' },
        ],
      },
      svn: {
        any: [
          { first: /^(revert|rm|remove|delete|del)$/ },
          { first: /^cleanup$/, shape: '--remove-unversioned|--remove-ignored|--vacuum-pristines' },
        ],
      },
      jj: { any: [{ first: /^(abandon|undo|restore|rebase)$/ }, { first: /^op$/, second: /^(restore|abandon)$/ }] },
      'fossil bzr cvs darcs pijul': { first: /^(rm|revert|clean|purge|delete|undo|unrecord|obliterate)$/ },
      p4: { first: /^(obliterate|revert|delete|clean)$/ },
    },
    reason: 'throws away changes or history',
  },
  {
    name: 'other version control there',
    of: {
      'hg sl': { first: /^push$/, shape: '-f|--force|--publish' },
      jj: { first: /^git$/, second: /^push$/, shape: '--deleted|--allow-backwards' },
      svnadmin: { first: /^(rmtxns|rmlocks|setrevprop|load|delrevprop)$/ },
      cvs: { first: /^(admin|up|update)$/, line: /(^|\s)(-C|-o\S+)/ },
      'arc gt spr': { first: /^(land|submit|delete)$/, shape: '-f|--force' },
    },
    reason: 'overwrites what others have, or throws changes away',
  },
];

/** Disks, partitions, volumes and file systems. */
export const DISK_RULES: readonly Rule[] = [
  {
    name: 'mkfs (format)',
    programs:
      'mkfs mke2fs mkswap mkdosfs newfs mkntfs mkudffs mkreiserfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mkfs.f2fs mkfs.msdos mkfs.minix mkfs.jfs mkfs.ubifs mkfs.erofs mkfs.bcachefs mkfs.cramfs mkfs.reiserfs format newfs_hfs newfs_apfs',
    shapes: ['+'],
    reason: 'mkfs (format)',
  },
  {
    name: 'partition table',
    programs: 'sgdisk delpart addpart resizepart gpart diskpart fixparts',
    shapes: [
      '* rm|mklabel|mktable|mkpart|resizepart|resize|move|name|set|rescue|toggle|disk_set',
      '--delete|-d|-o|--clear|-Z|--zap-all|-z|--zap|-n|--new|-t|--typecode|--change-name|-c|--load-backup|-l=',
      'destroy|delete|eraseDisk|eraseVolume|partitionDisk|reformat|zeroDisk|secureErase|randomDisk|secureErase|deleteVolume|deleteContainer',
      'apfs deleteVolume|deleteContainer',
      'unmountDisk force',
      '/^\\/dev\\//',
    ],
    of: {
      parted: {
        operand:
          /^(rm|mklabel|mktable|mkpart|resizepart|move|set|name|toggle)$|\b(rm|mklabel|mkpart|mktable|resizepart)\b/,
      },
      'fdisk gdisk cfdisk cgdisk': { given: 'operands', not: { shape: '-l|-x|--list|--list-details|-s|--getsz' } },
      sfdisk: { any: [{ given: 'input' }, { shape: '--delete|-A|--part-type|--wipe|-Y' }] },
      'partx kpartx': { shape: '-d|--delete' },
      growpart: { not: { shape: '-N|--dry-run' } },
      diskutil: { any: [{ not: { first: /^(list|info|activity|apfs)$/ } }, { second: /delete/ }] },
      hdiutil: NEVER,
    },
    reason: 'changes a partition table',
  },
  {
    name: 'blkdiscard',
    programs: 'blkdiscard sg_format sg_sanitize flashcp flash_erase flash_eraseall nandwrite mtd_debug',
    shapes: ['+'],
    of: {
      hdparm: {
        argument:
          /^--(security-erase|trim-sector|dco-restore|make-bad-sector|write-sector|yes-i-know|please-destroy|security-set-pass|fwdownload|sanitize)/,
      },
      nvme: {
        argument0:
          /^(format|sanitize|delete-ns|write|write-zeroes|write-uncor|dsm|reset|subsystem-reset|fw-download|fw-commit|detach-ns)$/,
      },
      badblocks: { argument: /^-\w*w/ },
    },
    reason: 'erases a device',
  },
  {
    name: 'logical volume',
    programs:
      'lvremove vgremove pvremove lvreduce vgreduce lvconvert lvchange vgchange vgrename lvrename pvmove vgexport pvcreate vgcfgrestore',
    shapes: ['+'],
    of: {
      lvresize: { any: [{ value: ['-L|--size|-l', /^-/] }, { argument: /^-\d/ }] },
      lvm: { first: /^(lv|vg|pv)(remove|reduce|create|change|convert)$/ },
    },
    reason: 'removes or shrinks a volume',
  },
  {
    name: 'zfs destroy',
    shapes: [
      'destroy|rollback|release|remove|detach|offline|labelclear|export|replace|split|clear|promote|unload-key|revert|receive|recv|create|upgrade|reguid|initialize|attach',
    ],
    of: {
      zfs: {
        first: /^(destroy|rollback|release|promote|unload-key|receive|recv)$/,
        any: [{ not: { first: /^rec/ } }, { shape: '-F' }],
      },
      zpool: { first: /^(destroy|remove|detach|offline|labelclear|export|replace|split|create)$/ },
    },
    reason: 'destroys a data set, pool or snapshot',
  },
  {
    name: 'raid',
    programs: 'megacli storcli dmsetup dmraid multipath iscsiadm targetcli',
    shapes: [
      '--zero-superblock|--stop|-S|--remove|-r|--fail|-f|--create|-C|--grow',
      'remove|remove_all|wipe_table|clear|suspend',
      '-d|--detach|-D|--detach-all',
      '-F|-f',
      '-o=delete',
    ],
    of: {
      mdadm: { not: { shape: '--detail|-D|--examine|-E|--query|-Q|--monitor' } },
      losetup: { shape: '-d|-D|--detach|--detach-all' },
    },
    reason: 'takes apart an array or mapping',
  },
  {
    name: 'file system repair',
    shapes: ['+'],
    of: {
      'fsck e2fsck fsck.ext4 fsck.ext3 fsck.vfat fsck.fat xfs_repair ntfsfix resize2fs reiserfsck dosfsck e2undo btrfstune fsck.xfs ntfsresize':
        { not: { shape: '-N|-n|--help|-V' } },
      debugfs: { any: [{ shape: '-w' }, { argument: /\b(rm|kill_file|unlink|clri|write)\b/ }] },
      tune2fs: { not: { shape: '-l' } },
      'xfs_growfs e4defrag': NEVER,
    },
    reason: 'rewrites a file system',
  },
  {
    name: 'luks',
    programs: 'cryptsetup veracrypt',
    shapes: [
      'luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|luksChangeKey|reencrypt|luksHeaderRestore|close|luksClose|remove|reencrypt-*',
      '-c|--create|-d|--dismount',
    ],
    reason: 'destroys or locks an encrypted volume',
  },
  {
    name: 'unmount',
    programs: 'umount swapoff fusermount3 eject',
    shapes: ['+', '-a|--all|-u'],
    of: { fusermount: { shape: '-u' }, udisksctl: { first: /^(unmount|power-off|lock|loop-delete)$/ } },
    reason: 'takes a file system away from those who use it',
  },
  {
    name: 'mount over',
    programs: 'pivot_root',
    shapes: ['-o=/remount|bind|move|loop/', '--move|--bind|-M|-B|--rbind', '-a', '+'],
    of: {
      mount: {
        any: [
          { value: ['-o|--options', /remount/] },
          { argument: /remount/ },
          { shape: '--move|-M' },
          { operand: /^\/(etc|usr|home|var|bin|lib)?\/?$/ },
        ],
      },
    },
    reason: 'mounts over what is there',
  },
  {
    name: 'ddrescue and imagers',
    programs: 'partclone.ext4 partclone.restore ocs-sr',
    shapes: ['+', 'of=/dev/'],
    of: {
      'ddrescue dcfldd dc3dd clonezilla guestfish virt-resize balena-etcher etcher bmaptool usbimager': {
        any: [{ argument: DISK }, { argument: /^of=/ }],
      },
      fsarchiver: { argument0: /^restfs$/ },
      'qemu-img': {
        any: [{ argument0: /^(commit|resize|rebase|amend)$/ }, { argument0: /^snapshot$/, argument: /^-[da]$/ }],
      },
      pv: { shape: '-o' },
    },
    reason: 'writes an image over a device',
  },
  {
    name: 'image to device',
    programs: 'qemu-img',
    shapes: ['convert|dd /^(of=)?\\/dev\\/(?!null|shm)/'],
    reason: 'writes an image over a device',
  },
  {
    name: 'fastboot',
    programs: 'fastboot',
    shapes: [
      '-w',
      'flash|flashall|update|erase|format|flashing|oem|delete-logical-partition|resize-logical-partition|wipe-super',
    ],
    reason: 'overwrites or erases a phone',
  },
];
