/*
 * Files of a project that have another name outside it: whoever writes to one changes what lies outside (MO-9).
 *
 * Names are counted when the first file with several is about to be written to, by going through the tree once. From
 * inside no name can be made across the edge of the tree, which is a mount of its own, so what was found holds. The links by
 * which the store keeps earlier actions are counted as well: they are nobody's.
 */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLOTS = 1 << 20, MOST = SLOTS / 2, MAX_SCANS = 16, MAX_DEPTH = 1500, MAX_DEVICES = 32, ENTRIES = 1 << 15 };

static struct file {
  uint64_t dev, ino;
  uint32_t links, found;
} *files;
static uint32_t count;
static int scans, incomplete;
static uint64_t devices[MAX_DEVICES];
static int device_count;

static struct file *slot_of(const struct id *id) {
  uint64_t h = (id->dev ^ id->ino * 0x9E3779B97F4A7C15ull) * 0x9E3779B97F4A7C15ull;
  uint32_t at = (uint32_t)(h >> 40) & (SLOTS - 1);
  while (files[at].ino && (files[at].ino != id->ino || files[at].dev != id->dev)) at = (at + 1) & (SLOTS - 1);
  return &files[at];
}

static int is_known_device(uint64_t dev) {
  for (int i = 0; i < device_count; i++)
    if (devices[i] == dev) return 1;
  return 0;
}

static void add_name(const struct id *id, uint32_t links) {
  struct file *f = slot_of(id);
  if (!f->ino && count == MOST) {
    incomplete = 1; /* what has no place is found to be missing, and refused */
    return;
  }
  if (!f->ino) *f = (struct file){id->dev, id->ino, links, 0}, count++;
  f->found++;
}

/* Takes the descriptor. What can't be read is not counted: its files are taken as having a name elsewhere. */
static void go_through(int fd, int depth) {
  char *entries = fd < 0 ? NULL : arena(ENTRIES);
  struct id id;
  struct state state;
  if (entries && !look(fd, "", 0, &id, NULL) && !is_known_device(id.dev) && device_count < MAX_DEVICES) devices[device_count++] = id.dev;
  if (entries)
    for (long got; (got = syscall(SYS_getdents64, fd, entries, ENTRIES)) > 0;)
      for (long at = 0; at < got; at += *(const unsigned short *)(entries + at + 16)) {
        const char *name = entries + at + 19;
        unsigned char type = (unsigned char)entries[at + 18];
        if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
        if (type != 4 /* DT_DIR */) {
          if (look(fd, name, 0, &id, &state)) continue;
          if (!S_ISDIR(state.mode)) {
            if (state.links > 1) add_name(&id, state.links);
            continue;
          }
        }
        if (depth < MAX_DEPTH) go_through(openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), depth + 1);
      }
  if (entries) syscall(SYS_munmap, entries, ENTRIES);
  if (fd >= 0) close(fd);
}

/* The links of every action that is kept beside this one. */
static void go_through_store(int vault) {
  char *entries = arena(ENTRIES), path[NAME_BYTES + 3];
  int all = entries ? openat(vault, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  for (long got; all >= 0 && (got = syscall(SYS_getdents64, all, entries, ENTRIES)) > 0;)
    for (long at = 0; at < got; at += *(const unsigned short *)(entries + at + 16)) {
      if (entries[at + 19] == '.') continue;
      snprintf(path, sizeof path, "%s/l", entries + at + 19);
      go_through(openat(all, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 0);
    }
  if (all >= 0) close(all);
  if (entries) syscall(SYS_munmap, entries, ENTRIES);
}

static int scan(const struct store *s) {
  if (files) syscall(SYS_munmap, files, sizeof *files * (uint64_t)SLOTS);
  files = arena(sizeof *files * (uint64_t)SLOTS);
  count = 0;
  device_count = incomplete = 0;
  scans++;
  if (!files) return -1;
  for (int i = 0; i < s->outside_count; i++)
    go_through(openat(s->outside[i].fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
  if (s->vault >= 0) go_through_store(s->vault);
  return 0;
}

int is_named_outside(const struct store *s, int directory, const char *name) {
  struct id id;
  struct state state;
  if (look(directory, name, 0, &id, &state) || S_ISDIR(state.mode) || state.links < 2) return 0;
  const struct file *f = files ? slot_of(&id) : NULL;
  /* Somebody outside may have made a name since. */
  if ((!f || !f->ino) && scans < MAX_SCANS) {
    if (scan(s)) return 1;
    f = slot_of(&id);
  }
  if (!f) return 1;
  /* Of a private temporary directory. */
  if (!f->ino) return is_known_device(id.dev);
  return f->found < f->links;
}

void named_again(int directory, const char *name) {
  struct id id;
  struct state state;
  if (!files || look(directory, name, 0, &id, &state) || S_ISDIR(state.mode) || state.links != 1) return;
  struct file *f = slot_of(&id);
  if (!f->ino && count == MOST) return;
  count += !f->ino;
  *f = (struct file){id.dev, id.ino, 1, 1};
}

int any_named_outside(const struct options *o) {
  struct store s = {.vault = -1};
  for (int i = 0; i < o->tree_count; i++, s.outside_count++)
    if ((s.outside[i].fd = open(o->trees[i], O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) return 1;
  if (scan(&s) || incomplete) return 1;
  for (uint32_t i = 0; i < SLOTS; i++)
    if (files[i].ino && files[i].found < files[i].links) return 1;
  return 0;
}
