/* Writing, making, removing and moving files outside the private directory. The working directory is the target. */
#include "hostile.h"

#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static long opened(const char *path, int flags) {
  int fd = open(path, flags | O_CLOEXEC, 0600);
  return fd < 0 ? -1 : close(fd);
}
static long made(const char *path, long result) {
  if (result >= 0) remove(path);
  return result;
}

static long write_existing(void) { return opened("file", O_WRONLY); }
static long append(void) { return opened("file", O_WRONLY | O_APPEND); }
static long read_write(void) { return opened("file", O_RDWR); }
static long truncate_writing(void) { return opened("empty", O_WRONLY | O_TRUNC); }
static long truncate_reading(void) { return opened("empty", O_RDONLY | O_TRUNC); }
static long truncate_path(void) { return truncate("empty", 0); }
static long truncate_odd_mode(void) { return opened("empty", O_ACCMODE | O_TRUNC); }
static long create(void) { return made("new", opened("new", O_WRONLY | O_CREAT | O_EXCL)); }
static long create_reading(void) { return made("new", opened("new", O_RDONLY | O_CREAT)); }
static long create_in_tmp(void) { return made("/tmp/aish-hostile-new", opened("/tmp/aish-hostile-new", O_WRONLY | O_CREAT)); }
static long create_unnamed(void) { return opened(".", O_WRONLY | O_TMPFILE); }
static long open_by_openat2(void) {
  struct open_how how = {.flags = O_WRONLY};
  return syscall(SYS_openat2, AT_FDCWD, "file", &how, sizeof how);
}
static long truncate_by_openat2(void) {
  struct open_how how = {.flags = O_RDONLY | O_TRUNC};
  return syscall(SYS_openat2, AT_FDCWD, "empty", &how, sizeof how);
}
static long remove_file(void) { return unlink("gone"); }
static long remove_directory(void) { return rmdir("gone.d"); }
static long make_directory(void) { return made("new", mkdir("new", 0700)); }
static long make_fifo(void) { return made("new", mkfifo("new", 0600)); }
static long make_socket_node(void) { return made("new", mknod("new", S_IFSOCK | 0600, 0)); }
static long make_character_node(void) { return made("new", mknod("new", S_IFCHR | 0600, makedev(1, 3))); }
static long make_block_node(void) { return made("new", mknod("new", S_IFBLK | 0600, makedev(7, 0))); }
static long make_node_in_private(void) { return mknod(in_tmp("node"), S_IFBLK | 0600, makedev(7, 0)); }
static long make_symlink(void) { return made("new", symlink("file", "new")); }
static long make_hardlink(void) { return made("new", link("file", "new")); }
static long rename_file(void) { return rename("file", "renamed") ? -1 : rename("renamed", "file"); }
static long rename_directory(void) { return rename("dir", "renamed") ? -1 : rename("renamed", "dir"); }
static long exchange(void) {
  long r = syscall(SYS_renameat2, AT_FDCWD, "file", AT_FDCWD, "other", 2);
  return r ? r : syscall(SYS_renameat2, AT_FDCWD, "file", AT_FDCWD, "other", 2);
}
static long move_into_private(void) { return rename("file", in_tmp("file")) ? -1 : rename(in_tmp("file"), "file"); }
static long move_out_of_private(void) {
  if (opened(in_tmp("out"), O_WRONLY | O_CREAT)) not_here();
  return made("new", rename(in_tmp("out"), "new"));
}
static long link_into_private(void) { return made(in_tmp("hard"), link("file", in_tmp("hard"))); }
static long write_by_symlink(void) {
  char *here = realpath("file", NULL);
  unlink(in_tmp("soft"));
  if (symlink(here, in_tmp("soft"))) not_here();
  return opened(in_tmp("soft"), O_WRONLY);
}
static long leave_by_dots(void) {
  char path[4096], *here = realpath("file", NULL);
  snprintf(path, sizeof path, "%s/../../../../../../../../..%s", given("TMPDIR"), here);
  return opened(path, O_WRONLY);
}
static long reopen_descriptor(void) {
  char path[64];
  int fd = open("file", O_RDONLY);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return opened(path, O_WRONLY);
}
static long write_by_proc_root(void) {
  char path[4200];
  snprintf(path, sizeof path, "/proc/self/root%s", realpath("file", NULL));
  return opened(path, O_WRONLY);
}
static long write_by_victims_cwd(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/cwd/file", number("T_VICTIM"));
  return opened(path, O_WRONLY);
}
static long map_shared(void) {
  int fd = open("file", O_RDONLY);
  return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? opened("file", O_RDWR) : 0;
}
static long write_fifo(void) { return opened("fifo", O_WRONLY | O_NONBLOCK); }
static long shared_memory_file(void) { return made("/dev/shm/aish-hostile", opened("/dev/shm/aish-hostile", O_RDWR | O_CREAT)); }
static long write_inherited(void) { return write(3, "x", 1); }
static long create_by_inherited_directory(void) {
  int fd = openat(4, "new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  return fd < 0 ? -1 : unlinkat(4, "new", 0);
}
static long lease(void) {
  int fd = open("file", O_RDONLY);
  return fcntl(fd, F_SETLEASE, F_RDLCK);
}
static long read_as_root(void) { return opened("foreign", O_RDONLY); }

const struct operation files[] = {
    {"write an existing file", write_existing},
    {"append to a file", append},
    {"open for reading and writing", read_write},
    {"truncate while opening for writing", truncate_writing},
    {"truncate while opening for reading", truncate_reading},
    {"truncate by name", truncate_path},
    {"truncate with access mode 3", truncate_odd_mode},
    {"create a file", create},
    {"create while opening for reading", create_reading},
    {"create in /tmp", create_in_tmp},
    {"create an unnamed file", create_unnamed},
    {"write by openat2", open_by_openat2},
    {"truncate by openat2", truncate_by_openat2},
    {"remove a file", remove_file},
    {"remove a directory", remove_directory},
    {"make a directory", make_directory},
    {"make a fifo", make_fifo},
    {"make a socket node", make_socket_node},
    {"make a character device", make_character_node},
    {"make a block device", make_block_node},
    {"make a block device in the private directory", make_node_in_private},
    {"make a symbolic link", make_symlink},
    {"make a hard link", make_hardlink},
    {"rename a file", rename_file},
    {"rename a directory", rename_directory},
    {"exchange two files", exchange},
    {"move a file into the private directory", move_into_private},
    {"move a file out of the private directory", move_out_of_private},
    {"hard link into the private directory", link_into_private},
    {"write through a symbolic link", write_by_symlink},
    {"leave the private directory by ..", leave_by_dots},
    {"reopen a descriptor for writing", reopen_descriptor},
    {"write by /proc/self/root", write_by_proc_root},
    {"write by another process's cwd", write_by_victims_cwd},
    {"map a file shared and writable", map_shared},
    {"write to a fifo", write_fifo},
    {"create in /dev/shm", shared_memory_file},
    {"write to an inherited descriptor", write_inherited},
    {"create by an inherited directory", create_by_inherited_directory},
    {"take a lease", lease},
    {"read another user's file as root", read_as_root},
    {NULL, NULL},
};
