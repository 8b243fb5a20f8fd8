/* The supervisor's side of a kept command: the store is opened before the command begins and closed behind its last process. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Opened before the command's world is made: no link can be made from one mount to another. */
static int open_outside(struct store *s, const struct options *o) {
  if (o->tree_count && (s->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) return -1;
  for (int i = 0; i < o->tree_count; i++) {
    s->outside[i].path = o->trees[i];
    if ((s->outside[i].fd = open(o->trees[i], O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) return -1;
    s->outside_count++;
  }
  return 0;
}

static void guard(struct store *s, const struct options *o) {
  s->guards = (o->profile & PROJECTS) != 0;
  s->holds = o->profile == HELD ? o : NULL;
}

int keep_begin(struct store *s, const struct options *o) {
  if (store_open(s, o->keep, 0) || open_outside(s, o)) return -1;
  s->listens = 1;
  guard(s, o);
  s->max_file = o->keep_file;
  s->keeps_credentials = o->keep_credentials;
  if (o->keep_tree) look(AT_FDCWD, o->keep_tree, 1, &s->tree, NULL);
  int above = openat(s->vault, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
  uint32_t n = above < 0 ? 0 : keep_directory(s, above);
  if (above >= 0) close(above);
  if (!n) return -1;
  for (n = s->nodes[n].parent; n; n = s->nodes[n].parent) s->nodes[n].flags |= HOLDS_VAULT;
  s->budget = o->keep_budget; /* a store without room refuses changes, not the command */
  return 0;
}

/* Its beginning is written down before anything happens: what was born later is of the trial, what changed later a conflict. */
int trial_begin(struct store *s, const struct options *o) {
  if (store_open(s, o->trial, 0) || syscall(SYS_mkdirat, s->vault, "trial", 0700)) return -1;
  s->watches = 1;
  return open_outside(s, o);
}

/* Project mode where nothing is kept. */
int guard_begin(struct store *s, const struct options *o) {
  *s = (struct store){.known_fd = {-1, -1}, .root = -1, .vault = -1};
  guard(s, o);
  return open_outside(s, o);
}

/* Behind the start, since the command inherits the limit. */
void keep_ready(int listener) {
  struct rlimit files;
  uint64_t wake = 1; /* SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP */
  syscall(SYS_ioctl, listener, 0x40082104 /* SECCOMP_IOCTL_NOTIF_SET_FLAGS, Linux 6.6 */, wake);
  if (getrlimit(RLIMIT_NOFILE, &files)) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

void keep_end(struct store *s, const struct options *o) {
  if (s->calls && o->keep_tree) scan_unkept(s, o->keep_tree);
  if (s->calls && o->keep_tree) note_other_names(s, o->keep_tree);
  store_finish(s); /* where it fails the action has no end, which its reader finds */
}
