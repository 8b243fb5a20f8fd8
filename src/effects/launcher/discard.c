/*
 * Two paths that commands open for writing though they only read: /dev/null, to throw output away, and /dev/tty, by which every
 * bash looks for its terminal. Both are answered here, and the path is not read again: so nothing can have been changed by such a
 * call, and behind a command that made no other the tree needs no look.
 */
#include "keep-path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

static const char null_path[] = "/dev/null", tty_path[] = "/dev/tty";
enum { PLAIN = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

#define NULL_DEVICE ((uint64_t)1 << 32 | 3)

/* Linux 5.14 */
struct handed {
  uint64_t id;
  uint32_t flags, from, to, to_flags;
};

/* A process without a terminal of its own, by the seventh field of its `stat`; the second may hold anything. */
static int has_no_terminal(pid_t pid) {
  char path[32], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  text[n > 0 ? n : 0] = 0;
  const char *at = strrchr(text, ')');
  for (int field = 2; at && field < 7; field++)
    if ((at = strchr(at, ' '))) at++;
  return at && at[0] == '0' && at[1] == ' ';
}

static int hand_over_null(int listener, uint64_t id, uint64_t flags) {
  struct id null;
  struct state state;
  int fd = open(null_path, (int)(flags & (O_ACCMODE | O_APPEND | O_NONBLOCK)) | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return 0;
  struct handed h = {id, SECCOMP_ADDFD_FLAG_SEND, (uint32_t)fd, 0, (uint32_t)(flags & O_CLOEXEC)};
  const int is_null = !look(fd, "", 0, &null, &state) && S_ISCHR(state.mode) && state.rdev == NULL_DEVICE;
  const int done = is_null && syscall(SYS_ioctl, listener, 0x40182103 /* SECCOMP_IOCTL_NOTIF_ADDFD */, &h) >= 0;
  close(fd);
  return done;
}

int open_harmless(int listener, uint64_t id, pid_t pid, uint64_t path, uint64_t flags) {
  char text[sizeof null_path] = "";
  if (flags & ~(uint64_t)PLAIN || read_memory(pid, path, text, sizeof tty_path) || !same_root(pid)) return 0;
  if (!strcmp(text, tty_path)) return has_no_terminal(pid) ? ENXIO : 0;
  if (read_memory(pid, path, text, sizeof text) || strncmp(text, null_path, sizeof text)) return 0;
  return hand_over_null(listener, id, flags) ? IS_ANSWERED : 0;
}
