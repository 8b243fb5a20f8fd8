/*
 * aish-sandbox --records STORE [NUMBER]     lists the records of the newest actions, or of this one: see tell_action
 * aish-sandbox --open STORE NAME TEXT       makes the directory of the next action, with that file; prints its number
 * aish-sandbox --put FILE TEXT              writes a small file in one step
 * aish-sandbox --drop PATH                  removes a file, or a directory with its contents
 *
 * With these a program reads and changes a store on another machine. The output is `word NUL number NUL text NUL`.
 * AISH_HOLDER is a process that lives as long as the program that opens an action; its id is written to `holder`.
 */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_ACTIONS = 200, MOST_TEXT = 16000, NOTES_OF_ALL = 4000, NOTES_OF_ONE = 100000, TRIES = 100 };

static struct output out;
static char room[NOTES_OF_ONE + 1];

static int give_up(const char *what) {
  dprintf(2, "aish-sandbox: %s: %s\n", what, strerror(errno));
  return EXIT_SETUP;
}

/* Reads the beginning of a plain file; -1: there is none. */
static long read_small(int directory, const char *name, uint64_t most) {
  struct id id;
  struct state state;
  const int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  long size = -1;
  if (fd >= 0 && !look(fd, "", 0, &id, &state) && S_ISREG(state.mode)) size = read(fd, room, most);
  close_quietly(fd);
  room[size < 0 ? 0 : size] = 0;
  return size;
}

static void tell(const char *word, const char *number, const char *text) {
  output_put(&out, word);
  output_put(&out, number);
  output_put(&out, text);
}

static int is_there(int directory, const char *name) {
  return syscall(SYS_faccessat, directory, name, 0) == 0;
}

/* Whether the program that opened the action is no longer connected. */
static int is_abandoned(int directory) {
  char process[32];
  if (read_small(directory, "holder", 16) <= 0) return 1;
  snprintf(process, sizeof process, "/proc/%llu", (unsigned long long)to_number(room));
  return !is_there(AT_FDCWD, process);
}

/* Prints `action` or `trial` with the text of its beginning, `summary` and each `note` with their texts; and without a
 * text `undone`, `seen` and `abandoned`. */
static void tell_action(int store, const char *number, uint64_t most_notes) {
  const int directory = openat(store, number, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return;
  const int is_action = is_there(directory, "action.json");
  if (read_small(directory, is_action ? "action.json" : "trial.json", MOST_TEXT) >= 0)
    tell(is_action ? "action" : "trial", number, room);
  if (read_small(directory, "summary", MOST_TEXT) >= 0) tell("summary", number, room);
  if (is_there(directory, "undone")) tell("undone", number, "");
  if (is_there(directory, "made")) tell("seen", number, "");
  if (is_abandoned(directory)) tell("abandoned", number, "");
  const long size = read_small(directory, "notes", most_notes);
  for (const char *note = room; note < room + size; note += strlen(note) + 1)
    if (*note) tell("note", number, note);
  close(directory);
}

/* Finds the numbers of the newest actions, ascending. Returns how many. */
static int newest(int store, uint32_t numbers[MOST_ACTIONS]) {
  struct listing names;
  struct listed one;
  int count = 0;
  if (listing_open(&names, openat(store, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))) return 0;
  while (listing_next(&names, &one)) {
    char text[12];
    const uint64_t number = to_number(one.name);
    if (number >= 1000000000 || strcmp(decimal((uint32_t)number, text), one.name)) continue;
    if (count == MOST_ACTIONS) {
      if (numbers[0] > number) continue;
      count--;
      for (int i = 0; i < count; i++) numbers[i] = numbers[i + 1];
    }
    int at = count++;
    for (; at && numbers[at - 1] > number; at--) numbers[at] = numbers[at - 1];
    numbers[at] = (uint32_t)number;
  }
  listing_close(&names);
  return count;
}

static int tell_records(const char *path, const char *only) {
  uint32_t numbers[MOST_ACTIONS];
  char text[12];
  const int store = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (store < 0) return errno == ENOENT ? 0 : give_up(path);
  if (only) tell_action(store, only, NOTES_OF_ONE);
  const int count = only ? 0 : newest(store, numbers);
  for (int i = 0; i < count; i++) tell_action(store, decimal(numbers[i], text), NOTES_OF_ALL);
  output_flush(&out);
  return 0;
}

static int write_small(int directory, const char *name, const char *text) {
  const int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  const ssize_t size = (ssize_t)strlen(text);
  const int failed = fd < 0 || write(fd, text, (size_t)size) != size;
  close_quietly(fd);
  return failed ? -1 : 0;
}

int put_text(const char *path, const char *text) {
  char fresh[4096];
  if (snprintf(fresh, sizeof fresh, "%s.new", path) >= (int)sizeof fresh) return errno = ENAMETOOLONG, -1;
  return write_small(AT_FDCWD, fresh, text) || syscall(SYS_renameat2, AT_FDCWD, fresh, AT_FDCWD, path, 0) ? -1 : 0;
}

static int open_action(const char *path, const char *name, const char *text) {
  uint32_t numbers[MOST_ACTIONS];
  char number[12];
  const char *last = number, *holder = getenv("AISH_HOLDER");
  if (syscall(SYS_mkdirat, AT_FDCWD, path, 0700) && errno != EEXIST) return give_up(path);
  const int store = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), count = store < 0 ? 0 : newest(store, numbers);
  int failed = store < 0;
  for (uint32_t next = count ? numbers[count - 1] + 1 : 1, tries = 0; !failed; next++) {
    last = decimal(next, number);
    if (!syscall(SYS_mkdirat, store, last, 0700)) break;
    failed = errno != EEXIST || ++tries == TRIES;
  }
  const int directory = failed ? -1 : openat(store, last, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0 || (holder && write_small(directory, "holder", holder)) || write_small(directory, name, text))
    return give_up(path);
  tell("opened", last, "");
  output_flush(&out);
  return 0;
}

/* Removes the directory (top, name). Its subdirectories are moved up into `top` first, so that none is too deep. */
static int drop_level(int top, const char *name, const struct id *within, uint64_t *named) {
  struct listing names;
  struct listed one;
  struct id id;
  struct state state;
  char path[FD_PATH], up[32];
  if (look(top, name, 0, &id, &state)) return -1;
  if (!S_ISDIR(state.mode)) return (int)syscall(SYS_unlinkat, top, name, 0);
  if (id.dev != within->dev) return errno = EXDEV, -1;
  path_in(top, name, path);
  if ((state.mode & 0700) != 0700 && syscall(SYS_fchmodat, AT_FDCWD, path, 0700)) return -1;
  if (listing_open(&names, openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))) return -1;
  int failed = 0;
  while (!failed && listing_next(&names, &one)) {
    if (!syscall(SYS_unlinkat, names.fd, one.name, 0)) continue;
    if (!syscall(SYS_unlinkat, names.fd, one.name, AT_REMOVEDIR)) continue;
    path_in(names.fd, one.name, path);
    /* Only a writable directory can be moved. */
    failed = look(names.fd, one.name, 0, &id, &state) || !S_ISDIR(state.mode) || id.dev != within->dev ||
        syscall(SYS_fchmodat, AT_FDCWD, path, 0700);
    do snprintf(up, sizeof up, ".drop-%llu", (unsigned long long)++*named);
    while (!failed && syscall(SYS_renameat2, names.fd, one.name, top, up, 1) && ((failed = errno != EEXIST), 1));
  }
  listing_close(&names);
  return failed || syscall(SYS_unlinkat, top, name, AT_REMOVEDIR) ? -1 : 0;
}

int drop_all(const char *path) {
  struct listing names;
  struct listed one;
  struct id id;
  struct state state;
  uint64_t named = 0;
  if (look(AT_FDCWD, path, 0, &id, &state)) return errno == ENOENT ? 0 : -1;
  if (!S_ISDIR(state.mode)) return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  for (;;) {
    int found = 0, failed = 0;
    if (listing_open(&names, open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))) return -1;
    for (; !failed && listing_next(&names, &one); found++) failed = drop_level(names.fd, one.name, &id, &named);
    listing_close(&names);
    if (failed) return -1;
    if (!found) return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
  }
}

int work_on_records(int argc, char **argv) {
  const char *how = argv[1];
  if (!strcmp(how, "--records")) return tell_records(argv[2], argc > 3 ? argv[3] : NULL);
  if (!strcmp(how, "--open") && argc == 5) return open_action(argv[2], argv[3], argv[4]);
  if (!strcmp(how, "--put") && argc == 4) return put_text(argv[2], argv[3]) ? give_up(argv[2]) : 0;
  if (!strcmp(how, "--drop") && argc == 3) return drop_all(argv[2]) ? give_up(argv[2]) : 0;
  return errno = EINVAL, give_up(how);
}
