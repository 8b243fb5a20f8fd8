/* Changing what is known of a file, without writing it. */
#include "hostile.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

static int reading(void) { return open("file", O_RDONLY | O_CLOEXEC); }
static uid_t me(void) { return geteuid(); }

static long by_chmod(void) { return chmod("file", 0600); }
static long by_fchmod(void) { return fchmod(reading(), 0600); }
static long by_fchmodat(void) { return syscall(SYS_fchmodat, AT_FDCWD, "file", 0600); }
static long by_fchmodat2(void) { return syscall(452, AT_FDCWD, "file", 0600, 0); }
static long set_user_id(void) { return chmod("file", 04700) ? -1 : chmod("file", 0600); }
static long chmod_in_private(void) {
  close(open(in_tmp("mode"), O_CREAT | O_WRONLY, 0600));
  return chmod(in_tmp("mode"), 04755);
}
static long by_chown(void) { return chown("file", me(), (gid_t)-1); }
static long by_fchown(void) { return fchown(reading(), me(), (gid_t)-1); }
static long by_lchown(void) { return lchown("file", me(), (gid_t)-1); }
static long by_fchownat(void) { return fchownat(AT_FDCWD, "file", me(), (gid_t)-1, 0); }
#ifdef SYS_utime
static long by_utime(void) { return syscall(SYS_utime, "file", NULL); }
static long by_utimes(void) { return syscall(SYS_utimes, "file", NULL); }
static long by_futimesat(void) { return syscall(SYS_futimesat, AT_FDCWD, "file", NULL); }
#endif
static long by_utimensat(void) { return utimensat(AT_FDCWD, "file", NULL, 0); }
static long by_futimens(void) { return futimens(reading(), NULL); }
static long by_setxattr(void) { return setxattr("file", "user.test", "x", 1, 0); }
static long by_lsetxattr(void) { return lsetxattr("file", "user.test", "x", 1, 0); }
static long by_fsetxattr(void) { return fsetxattr(reading(), "user.test", "x", 1, 0); }
struct xattr_args {
  uint64_t value;
  uint32_t size, flags;
};
static long by_setxattrat(void) {
  struct xattr_args args = {(uint64_t)(uintptr_t)"x", 1, 0};
  return syscall(463, AT_FDCWD, "file", 0, "user.test", &args, sizeof args);
}
static long by_removexattr(void) { return removexattr("other", "user.kept") ? -1 : setxattr("other", "user.kept", "x", 1, 0); }
static long by_removexattrat(void) { return syscall(466, AT_FDCWD, "other", 0, "user.kept") ? -1 : setxattr("other", "user.kept", "x", 1, 0); }
static long set_acl(void) {
  /* version 2; owner, group and others as mode 0600 says */
  static const unsigned char acl[] = {2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 4, 0, 0, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255};
  return setxattr("file", "system.posix_acl_access", acl, sizeof acl, 0);
}
static long set_flags(void) {
  int fd = reading(), flags = 0;
  if (ioctl(fd, FS_IOC_GETFLAGS, &flags)) not_here();
  return ioctl(fd, FS_IOC_SETFLAGS, &flags);
}
static long set_fsxattr(void) {
  struct fsxattr x;
  int fd = reading();
  if (ioctl(fd, FS_IOC_FSGETXATTR, &x)) not_here();
  return ioctl(fd, FS_IOC_FSSETXATTR, &x);
}
static long by_file_setattr(void) {
  struct {
    uint64_t flags;
    uint32_t extsize, nextents, projid, cowextsize;
  } attributes = {0};
  return syscall(469, AT_FDCWD, "file", &attributes, sizeof attributes, 0);
}
static long set_version(void) {
  int fd = reading(), version = 1;
  return ioctl(fd, FS_IOC_SETVERSION, &version);
}
/* Thaws what is not frozen: EINVAL says that it was allowed to. */
static long thaw(void) { return ioctl(open(".", O_RDONLY), FITHAW, 0) && errno != EINVAL ? -1 : 0; }
const struct operation metadata[] = {
    {"chmod", by_chmod},
    {"fchmod", by_fchmod},
    {"fchmodat", by_fchmodat},
    {"fchmodat2", by_fchmodat2},
    {"set the set-user-ID bit", set_user_id},
    {"make a set-user-ID file in the private directory", chmod_in_private},
    {"chown", by_chown},
    {"fchown", by_fchown},
    {"lchown", by_lchown},
    {"fchownat", by_fchownat},
#ifdef SYS_utime
    {"utime", by_utime},
    {"utimes", by_utimes},
    {"futimesat", by_futimesat},
#endif
    {"utimensat", by_utimensat},
    {"futimens", by_futimens},
    {"setxattr", by_setxattr},
    {"lsetxattr", by_lsetxattr},
    {"fsetxattr", by_fsetxattr},
    {"setxattrat", by_setxattrat},
    {"removexattr", by_removexattr},
    {"removexattrat", by_removexattrat},
    {"set an access list", set_acl},
    {"FS_IOC_SETFLAGS", set_flags},
    {"FS_IOC_FSSETXATTR", set_fsxattr},
    {"file_setattr", by_file_setattr},
    {"FS_IOC_SETVERSION", set_version},
    {"FITHAW", thaw},
    {NULL, NULL},
};
