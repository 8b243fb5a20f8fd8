/*
 * aish-sandbox --undo STORE                  says what an undo would put back, and changes nothing
 * aish-sandbox --undo STORE --into NEW       puts it back; NEW keeps what is replaced. Begun anew, it goes on
 *   … --only PATH...                       of these paths and what lies below them
 * aish-sandbox --undo STORE --names          what it left: see names.c
 * aish-sandbox --undo STORE --finish         ends the journal of an action that was killed
 * aish-sandbox --undo NEW --note PATH...     keeps what these paths are, for a change that this program makes itself
 *
 * Exit code 0: all of it; 1: some paths were refused; 75: the action has not ended; 126: nothing was done, one line.
 */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOT_ENDED = 75 };

static int give_up(const char *what) {
  int why = errno;
  if (why == EAGAIN) return NOT_ENDED;
  dprintf(2, "aish-sandbox: %s: %s\n", what, strerror(why));
  return EXIT_SETUP;
}

static int note(struct store *s, const char *path) {
  char above[4096];
  const char *last = strrchr(path, '/');
  if (*path != '/' || !last || !last[1] || strlen(path) >= sizeof above) return errno = EINVAL, -1;
  memcpy(above, path, (size_t)(last - path) + 1);
  above[last - path + 1] = 0;
  int fd = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
  int failed = fd < 0 || keep_name(s, fd, last + 1, NULL) || keep_inode(s, fd, last + 1);
  if (fd >= 0) close(fd);
  return failed ? -1 : 0;
}

int undo(int argc, char **argv) {
  static struct store from, into;
  const char *path = argv[2], *how = argc > 3 ? argv[3] : "";
  struct rlimit files;
  if (!getrlimit(RLIMIT_NOFILE, &files)) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  int noting = !strcmp(how, "--note");
  if (store_open(&from, path, !noting)) return give_up(path);
  if (noting) {
    for (int i = 4; i < argc; i++)
      if (note(&from, argv[i])) return give_up(argv[i]);
    return 0;
  }
  if (equals_load(from.vault, from.started)) return give_up("equal");
  if (!strcmp(how, "--finish")) {
    if (!from.ended) count_parts(&from);
    return from.ended || !store_finish(&from) ? 0 : give_up(path);
  }
  if (!strcmp(how, "--names")) return tell_names(&from), 0;
  if (!*how) return restore(&from, NULL, NULL, 0) ? 1 : 0;
  int part = argc > 6 && !strcmp(argv[5], "--only");
  if (strcmp(how, "--into") || (argc != 5 && !part)) return errno = EINVAL, give_up("arguments");
  int existing = syscall(SYS_faccessat, AT_FDCWD, argv[4], 0) == 0;
  char journal[4096];
  snprintf(journal, sizeof journal, "%s/journal", argv[4]);
  existing = existing && syscall(SYS_faccessat, AT_FDCWD, journal, 0) == 0;
  if (store_open(&into, argv[4], existing)) return give_up(argv[4]);
  int left = restore(&from, &into, argv + 6, part ? argc - 6 : 0);
  equals_forget();
  if (!into.ended && store_finish(&into)) return give_up(argv[4]);
  return left ? 1 : 0;
}
