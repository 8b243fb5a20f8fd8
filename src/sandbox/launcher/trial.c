/* The trial: run inside the sandbox, try what must fail. Says for each part `ok`, or `open: <what got through>`. */
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *open_part;

/* A refusal is one of these; anything else (ENOENT, say) proves nothing and counts as not refused. */
static void must_fail(const char *what, long result) {
  int refused = result < 0 && (errno == EACCES || errno == EPERM || errno == EXDEV || errno == ENOSYS || errno == EROFS);
  if (!refused && !open_part) open_part = what;
}

static void conclude(const char *part) {
  if (open_part) printf("%s open: %s\n", part, open_part);
  else printf("%s ok\n", part);
  open_part = NULL;
}

/* `directory` holds a file `file` and an empty directory `dir`, both of this user; outside the sandbox all this works. */
int trial(const char *directory) {
  struct options none = {.abi_at_most = 1000};
  if (chdir(directory)) return perror(directory), 1;
  printf("abi %d\n", landlock_abi(&none));
  must_fail("writing", open("file", O_WRONLY | O_CLOEXEC));
  must_fail("truncating", open("file", O_RDONLY | O_TRUNC | O_CLOEXEC));
  must_fail("truncating by name", truncate("file", 0));
  must_fail("creating", open("new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  must_fail("making a directory", mkdir("new", 0700));
  must_fail("removing", unlink("file"));
  must_fail("removing a directory", rmdir("dir"));
  must_fail("renaming", rename("file", "other"));
  must_fail("linking", link("file", "other"));
  must_fail("changing the mode", chmod("file", 0600));
  must_fail("changing the times", utimensat(AT_FDCWD, "file", NULL, 0));
  conclude("filesystem");
  must_fail("TCP", socket(AF_INET, SOCK_STREAM, 0));
  must_fail("UDP", socket(AF_INET6, SOCK_DGRAM, 0));
  must_fail("Unix sockets", socket(AF_UNIX, SOCK_STREAM, 0));
  must_fail("netlink", socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
  conclude("network");
  must_fail("signals to processes outside", kill(getppid(), 0));
  conclude("signals");
  const char *temporary = getenv("TMPDIR");
  if (!temporary || chdir(temporary) || open("file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) < 0)
    printf("temporary closed\n");
  else printf("temporary ok\n");
  return 0;
}
