import { DISK, deletesOnlyOwn } from '../programs/paths.ts';
import { row } from '../programs/record.ts';
import { NEVER, type Rule } from './rule.ts';

/** Files: deleting, emptying, overwriting. */
export const FILE_RULES: readonly Rule[] = [
  row('rm', 'deletes files', {
    kept: true,
    named: 'files',
    programs: 'rm unlink rmdir rimraf del-cli trash trash-put gio-trash rip',
    shapes: ['+'],
    // Whether a file belongs to the session depends on the files that exist.
    when: (call) => !deletesOnlyOwn(call),
  }),
  row('trash', 'deletes files', {
    kept: true,
    programs: 'trash-empty trash-rm kioclient5 rmtrash',
    shapes: ['trash --empty', 'remove|trash +', '!--help|--list'],
    of: { gio: { first: /^(trash|remove)$/ } },
  }),
  row('shred', 'shred', {
    programs: 'shred wipe srm nwipe scrub bleachbit secure-delete sfill sdmem sswap',
    shapes: ['+', '-c|--clean'],
  }),
  row('truncate to zero', 'truncate to zero', {
    kept: true,
    programs: 'fallocate',
    shapes: ['-s|--size|-r|--reference +', '-p|--punch-hole|-c|--collapse-range|-z|--zero-range'],
    of: { truncate: { not: { value: ['-s|--size', /^\+/] } } },
  }),
  row('rename', 'renames many files, and may overwrite others', {
    kept: true,
    programs: 'rename prename mmv perl-rename zmv krename qmv vidir',
    shapes: ['+'],
  }),
  row('sync tool delete', 'deletes files at the other end', {
    programs: 'mc lftp unison s3cmd s5cmd b2 azcopy mcli csync syncthing',
    shapes: [
      'sync|move|moveto|delete|deletefile|purge|rmdir|rmdirs|cleanup|dedupe|rm|rb|mirror|del|remove|mv|setlifecycle|rm-bucket|delete-bucket|delete-file-version|cancel +',
      '-m rm|rb|mv +',
    ],
    of: { gsutil: { not: { first: /^rsync$/ } } },
  }),
  row('duplicate finder -d', 'deletes files it takes for duplicates', {
    programs: 'fdupes jdupes rmlint czkawka_cli fclones duff dupeguru hardlink',
    shapes: [
      '-d|--delete|-N|-D|-L|-H',
      '-deleteduplicates=true',
      '-deleteduplicates true',
      'remove|link|dedupe',
      '-makehardlinks',
    ],
    of: { rdfind: { call: /-(deleteduplicates|makehardlinks) true/, not: { call: /-dryrun true/ } } },
  }),
  row('tmp cleaner', 'deletes files by age', {
    programs: 'tmpreaper tmpwatch',
    shapes: ['+', '--clean|--remove'],
    of: { 'systemd-tmpfiles': { shape: '--clean|--remove' } },
  }),
  row('in-place editor', 'edits files in place', {
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
  }),
];

/** Other version control systems and forges; git’s own losses are in its record. */
export const VERSION_CONTROL_RULES: readonly Rule[] = [
  row('git rewrite history', 'rewrites history', {
    kept: true,
    programs: 'git-filter-repo bfg',
    shapes: [
      '--path|--path-glob|--path-regex|--invert-paths|--delete-files|--delete-folders|--strip-blobs-bigger-than|--replace-text',
    ],
  }),
  row('forge branch delete', 'deletes the branch on the forge', {
    programs: 'gh glab',
    shapes: ['pr merge|close -d|--delete-branch', 'mr merge -d|--remove-source-branch'],
  }),
  row('forge overwrite', 'changes something on the forge', {
    shapes: ['api -X|--method=/^(PUT|PATCH|put|patch)$/', 'api graphql'],
    of: { 'gh glab': { any: [{ not: { second: /^graphql$/ } }, { call: /\bmutation\b/ }, { input: /\bmutation\b/ }] } },
  }),
  row('forge delete', 'deletes something on the forge', {
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
  }),
  row('other version control', 'throws away changes or history', {
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
  }),
  row('other version control there', 'overwrites others’ commits, or discards changes', {
    of: {
      'hg sl': { first: /^push$/, shape: '-f|--force|--publish' },
      jj: { first: /^git$/, second: /^push$/, shape: '--deleted|--allow-backwards' },
      svnadmin: { first: /^(rmtxns|rmlocks|setrevprop|load|delrevprop)$/ },
      cvs: { first: /^(admin|up|update)$/, line: /(^|\s)(-C|-o\S+)/ },
      'arc gt spr': { first: /^(land|submit|delete)$/, shape: '-f|--force' },
    },
  }),
];

/** Disks, partitions, volumes and file systems. */
export const DISK_RULES: readonly Rule[] = [
  row('mkfs (format)', 'mkfs (format)', {
    programs:
      'mkfs mke2fs mkswap mkdosfs newfs mkntfs mkudffs mkreiserfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mkfs.f2fs mkfs.msdos mkfs.minix mkfs.jfs mkfs.ubifs mkfs.erofs mkfs.bcachefs mkfs.cramfs mkfs.reiserfs format newfs_hfs newfs_apfs',
    shapes: ['+'],
  }),
  row('partition table', 'changes a partition table', {
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
  }),
  row('blkdiscard', 'erases a device', {
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
  }),
  row('logical volume', 'removes or shrinks a volume', {
    programs:
      'lvremove vgremove pvremove lvreduce vgreduce lvconvert lvchange vgchange vgrename lvrename pvmove vgexport pvcreate vgcfgrestore',
    shapes: ['+'],
    of: {
      lvresize: { any: [{ value: ['-L|--size|-l', /^-/] }, { argument: /^-\d/ }] },
      lvm: { first: /^(lv|vg|pv)(remove|reduce|create|change|convert)$/ },
    },
  }),
  row('zfs destroy', 'destroys a data set, pool or snapshot', {
    of: {
      zfs: {
        first: /^(destroy|rollback|release|promote|unload-key|receive|recv)$/,
        any: [{ not: { first: /^rec/ } }, { shape: '-F' }],
      },
      zpool: { first: /^(destroy|remove|detach|offline|labelclear|export|replace|split|create)$/ },
    },
  }),
  row('raid', 'takes apart an array or mapping', {
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
  }),
  row('file system repair', 'rewrites a file system', {
    shapes: ['+'],
    of: {
      'fsck e2fsck fsck.ext4 fsck.ext3 fsck.vfat fsck.fat xfs_repair ntfsfix resize2fs reiserfsck dosfsck e2undo btrfstune fsck.xfs ntfsresize':
        { not: { shape: '-N|-n|--help|-V' } },
      debugfs: { any: [{ shape: '-w' }, { argument: /\b(rm|kill_file|unlink|clri|write)\b/ }] },
      tune2fs: { not: { shape: '-l' } },
      'xfs_growfs e4defrag': NEVER,
    },
  }),
  row('luks', 'destroys or locks an encrypted volume', {
    programs: 'cryptsetup veracrypt',
    shapes: [
      'luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|luksChangeKey|reencrypt|luksHeaderRestore|close|luksClose|remove|reencrypt-*',
      '-c|--create|-d|--dismount',
    ],
  }),
  row('unmount', 'takes a file system away from those who use it', {
    programs: 'umount swapoff fusermount3 eject',
    shapes: ['+', '-a|--all|-u'],
    of: { fusermount: { shape: '-u' }, udisksctl: { first: /^(unmount|power-off|lock|loop-delete)$/ } },
  }),
  row('mount over', 'mounts over an existing directory', {
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
  }),
  row('ddrescue and imagers', 'writes an image over a device', {
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
  }),
  row('image to device', 'writes an image over a device', {
    programs: 'qemu-img',
    shapes: ['convert|dd /^(of=)?\\/dev\\/(?!null|shm)/'],
  }),
  row('fastboot', 'overwrites or erases a phone', {
    programs: 'fastboot',
    shapes: [
      '-w',
      'flash|flashall|update|erase|format|flashing|oem|delete-logical-partition|resize-logical-partition|wipe-super',
    ],
  }),
];
