/* The self-test: run inside the sandbox, try what must fail. Says for each part `ok`, or `open: <what got through>`. */
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *open_part;

/* A refusal is one of these; anything else (ENOENT, say) proves nothing and counts as not refused. */
static void must_fail(const char *what, long result) {
  int refused = result < 0 && (errno == EACCES || errno == EPERM || errno == EXDEV || errno == ENOSYS || errno == EROFS);
  if (!refused && !open_part) open_part = what;
}

static void conclude(const char *part) {
  if (open_part) dprintf(1, "%s open: %s\n", part, open_part);
  else dprintf(1, "%s ok\n", part);
  open_part = NULL;
}

/* `directory` holds a file `file` and an empty directory `dir`, both of this user; outside the sandbox all this works. */
int selftest(const char *directory) {
  struct options none = {.abi_at_most = 1000};
  if (chdir(directory)) return dprintf(2, "%s: %s\n", directory, strerror(errno)), 1;
  dprintf(1, "abi %d\n", landlock_abi(&none));
  must_fail("writing", open("file", O_WRONLY | O_CLOEXEC));
  must_fail("truncating", open("file", O_RDONLY | O_TRUNC | O_CLOEXEC));
  must_fail("truncating by name", syscall(SYS_truncate, "file", 0));
  must_fail("creating", open("new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  must_fail("making a directory", syscall(SYS_mkdirat, AT_FDCWD, "new", 0700));
  must_fail("removing", syscall(SYS_unlinkat, AT_FDCWD, "file", 0));
  must_fail("removing a directory", syscall(SYS_unlinkat, AT_FDCWD, "dir", AT_REMOVEDIR));
  must_fail("renaming", syscall(SYS_renameat2, AT_FDCWD, "file", AT_FDCWD, "other", 0));
  must_fail("linking", syscall(SYS_linkat, AT_FDCWD, "file", AT_FDCWD, "other", 0));
  must_fail("changing the mode", syscall(SYS_fchmodat, AT_FDCWD, "file", 0600));
  must_fail("changing the times", syscall(SYS_utimensat, AT_FDCWD, "file", NULL, 0));
  conclude("filesystem");
  must_fail("TCP", syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
  must_fail("UDP", syscall(SYS_socket, AF_INET6, SOCK_DGRAM, 0));
  must_fail("Unix sockets", syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
  must_fail("netlink", syscall(SYS_socket, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
  conclude("network");
  must_fail("signals to processes outside", kill(getppid(), 0));
  conclude("signals");
  const char *temporary = getenv("TMPDIR");
  if (!temporary || chdir(temporary) || open("file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) < 0)
    dprintf(1, "temporary closed\n");
  else dprintf(1, "temporary ok\n");
  return 0;
}
