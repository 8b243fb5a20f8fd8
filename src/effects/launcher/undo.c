/*
 * aish-sandbox --undo STORE                  says what an undo would put back, and changes nothing
 * aish-sandbox --undo STORE --into NEW       puts it back; NEW keeps what is replaced. Begun anew, it goes on
 *   … --only PATH...                       of these paths and what lies below them; `-`: read from stdin, a NUL behind
 * each
 * aish-sandbox --undo STORE --names          what it left: see view.c
 * aish-sandbox --undo STORE --finish [--now] ends the journal of an action that was killed; of one that ended this
 * moment aish-sandbox --undo NEW --note PATH...     keeps what these paths are, for a change that this program makes
 * itself
 *
 * Exit code 0: all of it; 1: some paths were refused; 75: the action has not ended; 126: nothing was done, one line.
 */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

enum { MAX_PATHS_BYTES = 1 << 28 };

/* More paths than a command line may hold. Returns how many; -1 on an error. */
static int read_paths(char ***paths) {
  char *text = arena(MAX_PATHS_BYTES);
  uint64_t size = 0;
  int count = 0;
  for (ssize_t n; text; size += (uint64_t)n) {
    if (size >= MAX_PATHS_BYTES - 1) return errno = E2BIG, -1;
    n = read(0, text + size, MAX_PATHS_BYTES - 1 - size);
    if (n < 0) return -1;
    if (n == 0) break;
  }
  if (!text) return -1;
  for (uint64_t i = 0; i < size; i++) count += !text[i];
  if (!(*paths = arena(sizeof **paths * (uint64_t)(count + 1)))) return -1;
  for (int i = 0; i < count; i++, text += strlen(text) + 1) (*paths)[i] = text;
  return count;
}

int undo(int argc, char **argv) {
  static struct store from, into;
  const char *path = argv[2], *how = argc > 3 ? argv[3] : "";
  raise_file_limit();
  int noting = !strcmp(how, "--note");
  if (store_open(&from, path, !noting)) return give_up(path);
  if (noting) {
    for (int i = 4; i < argc; i++)
      if (note(&from, argv[i])) return give_up(argv[i]);
    return 0;
  }
  if (equals_load(from.vault, from.started)) return give_up("equal");
  if (!strcmp(how, "--finish")) {
    const int now = argc > 4 && !strcmp(argv[4], "--now");
    if (now) count_parts(&from);
    return from.ended || !(now ? store_finish(&from) : store_finish_cut(&from)) ? 0 : give_up(path);
  }
  if (!strcmp(how, "--names")) return tell_names(&from), 0;
  from.plans = !*how;
  if (!from.ended && store_finish_cut(&from)) return give_up(path);
  if (!*how) return restore(&from, NULL, NULL, 0) ? 1 : 0;
  int part = argc > 6 && !strcmp(argv[5], "--only");
  char **paths = argv + 6;
  int path_count = part ? argc - 6 : 0;
  if (part && argc == 7 && !strcmp(argv[6], "-") && (path_count = read_paths(&paths)) < 0) return give_up("paths");
  if (strcmp(how, "--into") || (argc != 5 && !part)) return errno = EINVAL, give_up("arguments");
  int existing = syscall(SYS_faccessat, AT_FDCWD, argv[4], 0) == 0;
  char journal[4096];
  snprintf(journal, sizeof journal, "%s/journal", argv[4]);
  existing = existing && syscall(SYS_faccessat, AT_FDCWD, journal, 0) == 0;
  if (store_open(&into, argv[4], existing ? RESUMED : FRESH)) return give_up(argv[4]);
  into.beats = 1;
  int left = restore(&from, &into, paths, path_count);
  equals_forget();
  if (!into.ended && store_finish(&into)) return give_up(argv[4]);
  return left ? 1 : 0;
}
