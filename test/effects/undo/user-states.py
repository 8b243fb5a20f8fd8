"""user-states.py KIND DIR...: sets that kind of state on all that is in these directories; then what is there, as JSON. KIND see: sets none."""
import json
import os
import stat
import struct
import sys

kind, tops = sys.argv[1], sys.argv[2:]
NAMED, MASK, OTHER = 2, 16, 32


def access_list():
    entries = [(1, 7, -1), (NAMED, 5, 7003), (4, 5, -1), (MASK, 5, -1), (OTHER, 4, -1)]
    return struct.pack('<I', 2) + b''.join(struct.pack('<HHI', tag, rights, who & 0xFFFFFFFF) for tag, rights, who in entries)


def is_link(path):
    return stat.S_ISLNK(os.lstat(path).st_mode)


def is_dir(path):
    return stat.S_ISDIR(os.lstat(path).st_mode)


def has_attributes(path):
    return stat.S_ISREG(os.lstat(path).st_mode) or is_dir(path)


def append(path, number):
    if stat.S_ISREG(os.lstat(path).st_mode):
        with open(path, 'a') as file:
            file.write('mine %d.' % number)


def move(path, _):
    if path not in tops:
        os.rename(path, path + '.mine')


SETS = {
    'content': append,
    'mode': lambda path, _: is_link(path) or os.chmod(path, 0o731 if is_dir(path) else 0o631),
    'owner': lambda path, _: os.chown(path, 7001, -1, follow_symlinks=False),
    'group': lambda path, _: os.chown(path, -1, 7002, follow_symlinks=False),
    'time': lambda path, _: os.utime(path, (10**9, 10**9), follow_symlinks=False),
    'attribute': lambda path, _: has_attributes(path) and os.setxattr(path, 'user.mine', b'1'),
    'access list': lambda path, _: has_attributes(path) and os.setxattr(path, 'system.posix_acl_access', access_list()),
    'default list': lambda path, _: is_dir(path) and os.setxattr(path, 'system.posix_acl_default', access_list()),
    'link': lambda path, _: is_dir(path) or os.link(path, path + '.mine', follow_symlinks=False),
    'name': move,
}


def everything(top):
    for above, directories, files in os.walk(top, topdown=False):
        for name in directories + files:
            yield os.path.join(above, name)
    yield top


def seen(path):
    at = os.lstat(path)
    names = [] if is_link(path) else [name for name in os.listxattr(path) if 'mine' in name or 'posix_acl' in name]
    content = open(path).read() if stat.S_ISREG(at.st_mode) else ''
    return {
        'inode': at.st_ino,
        'directory': is_dir(path),
        'content': content[content.find('mine'):] if 'mine' in content else None,
        'mode': None if is_link(path) else at.st_mode,
        'owner': at.st_uid,
        'group': at.st_gid,
        'time': at.st_mtime_ns,
        'attribute': [name for name in names if 'mine' in name] or None,
        'access list': [name for name in names if 'acl_access' in name] or None,
        'default list': [name for name in names if 'acl_default' in name] or None,
        'link': path.endswith('.mine') or None,
        'name': path.endswith('.mine') or None,
    }


def set_all(top):
    done = set()
    for number, path in enumerate(list(everything(top))):
        inode = os.lstat(path).st_ino
        if inode not in done or kind in ('link', 'name'):
            SETS[kind](path, number)
        done.add(inode)


def own(top):
    for name in ('own', 'dattr'):
        os.setxattr(os.path.join(top, name), 'user.o', b'1')


for top in tops:
    if kind != 'see':
        own(top) if kind == 'own' else set_all(top)
print(json.dumps([{path: seen(path) for path in everything(top)} for top in tops]))
