/* Changes of the tree that passed no supervisor: by a program that raced its own paths, or by somebody else. */
#include "trial.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_SCANNED = 400000, MAX_SCAN_DEPTH = 1500 };

struct scan {
  struct store *store;
  uint64_t seen;
  struct id top;
};

static int is_known(struct store *s, uint32_t parent, const char *name, const struct id *id) {
  uint32_t n = find_node(s, id);
  /* Moving or unlinking one of its names changes the time of them all. */
  return (n && (!S_ISDIR(s->nodes[n].was.mode) || s->nodes[n].flags & (META | TOUCHED))) || (parent && find_entry(s, parent, name));
}

static void scan_directory(struct scan *scan, int fd, const struct id *id, int depth, const char *path) {
  char *entries = arena(1 << 15);
  uint32_t parent = find_node(scan->store, id);
  char full[2048];
  if (entries)
    for (long got; (got = syscall(SYS_getdents64, fd, entries, 1 << 15)) > 0;)
      for (long at = 0; at < got; at += *(const unsigned short *)(entries + at + 16)) {
        const char *name = entries + at + 19;
        struct id below;
        struct state state;
        if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
        if (entries[at + 18] != DT_DIR && entries[at + 18] != DT_UNKNOWN && parent && find_entry(scan->store, parent, name)) {
          scan->seen++;
          continue; /* kept: nothing more is asked about it */
        }
        if (look(fd, name, 0, &below, &state)) continue;
        if (++scan->seen > MAX_SCANNED || below.dev != scan->top.dev || same_id(&below, &scan->store->guarded)) continue;
        uint64_t changed = moment(state.ctime, state.ctime_ns);
        int lasts = S_ISREG(state.mode) || S_ISLNK(state.mode) || S_ISDIR(state.mode);
        if (lasts && changed > scan->store->started && !is_known(scan->store, parent, name, &below)) {
          snprintf(full, sizeof full, "%s/%s", path, name);
          store_note(scan->store, "unkept", full);
          scan->store->unkept++;
        }
        if (!S_ISDIR(state.mode)) continue;
        snprintf(full, sizeof full, "%s/%s", path, name);
        int deeper = depth > MAX_SCAN_DEPTH ? -1 : openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (deeper < 0) {
          if (depth > MAX_SCAN_DEPTH || changed > scan->store->started) store_note(scan->store, "unchecked", full); /* closed since */
          continue;
        }
        scan_directory(scan, deeper, &below, depth + 1, full);
        close(deeper);
      }
  if (entries) syscall(SYS_munmap, entries, 1 << 15);
}

/* By the times of change below `tree`. */
void scan_unkept(struct store *s, const char *tree) {
  struct scan scan = {.store = s};
  struct state state;
  int fd = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  if (!look(fd, "", 0, &scan.top, &state)) scan_directory(&scan, fd, &scan.top, 0, tree);
  close(fd);
  if (scan.seen > MAX_SCANNED) store_note(s, "unchecked", tree);
}

static void tell(struct store *s, uint32_t parent, const char *name) {
  char path[2048];
  path_of(s, parent, name, path, sizeof path);
  store_note(s, "unkept", path);
  s->unkept++;
}

/* Stood in the tree when the action first came near it. */
static int is_of_tree(const struct store *s, uint32_t node) {
  for (; node; node = s->nodes[node].parent)
    if (same_id(&s->nodes[node].id, &s->tree)) return 1;
  return 0;
}

/* How many names a directory holds, and one; 0 where that can't be told. */
static uint32_t names_in(int directory) {
  static char entries[1 << 15] __attribute__((aligned(8)));
  int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  uint32_t count = 1;
  long got = -1;
  while (fd >= 0 && (got = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0)
    for (long at = 0; at < got; at += *(const unsigned short *)(entries + at + 16)) {
      const char *name = entries + at + 19;
      count += strcmp(name, ".") && strcmp(name, "..");
    }
  if (fd >= 0) close(fd);
  return got < 0 ? 0 : count;
}

void count_names(struct store *s, uint32_t node, int directory) {
  struct node *n = &s->nodes[node];
  struct id id;
  struct state now;
  if (!s->listens || !s->tree.ino || !is_of_tree(s, node) || look(directory, "", 0, &id, &now)) return;
  n->names = names_in(directory);
  /* Who set its time said when it was changed. */
  if (id.born > s->started || n->flags & META || (now.mtime >= 0 && moment(now.mtime, now.mtime_ns) <= s->started)) return;
  if (now.mtime >= 0 && moment(now.ctime, now.ctime_ns) > s->started) tell(s, n->parent, n->name);
}

/* A name that went leaves no time of change behind, where others of its directory went as well: so they are counted. */
static void tell_missing(struct store *s) {
  uint32_t *gone = arena(sizeof *gone * (s->node_count + 1ull)), *come = arena(sizeof *come * (s->node_count + 1ull));
  if (!gone || !come) return;
  for (uint32_t i = 1; i <= s->entry_count; i++) {
    const struct entry *e = &s->entries[i];
    int is_there = s->nodes[e->parent].at_name && e->now.ino;
    gone[e->parent] += e->node && !is_there;
    come[e->parent] += !e->node && is_there;
  }
  for (uint32_t i = 1; i <= s->node_count; i++) {
    const struct node *n = &s->nodes[i];
    if (!n->names || n->flags & CLOSED) continue;
    int fd = n->at_name ? open_node(s, i) : -1;
    uint32_t now = !n->at_name ? 1 : fd < 0 ? 0 : names_in(fd);
    if (now && now < n->names - gone[i] + come[i]) tell(s, n->at_name ? n->at_parent : n->parent, n->at_name ? n->at_name : n->name);
  }
}

/* Nothing is kept of the content of a file that was there before. */
static int is_unkept(const struct store *s, const struct node *n) {
  return S_ISREG(n->was.mode) && !(n->flags & (COPIED | LEFT_OUT)) && n->id.born <= s->started;
}

/* Nobody opened it for writing, and yet it was written to. */
static int was_written(const struct node *n) {
  if (n->now.size != n->was.size) return 1;
  return !(n->flags & TIMED) && (n->now.mtime != n->was.mtime || n->now.mtime_ns != n->was.mtime_ns);
}

static int stands_in_tree(const struct store *s, uint32_t node) {
  for (; node; node = s->nodes[node].at_parent)
    if (same_id(&s->nodes[node].is, &s->tree)) return 1;
  return 0;
}

/* What was moved out of the tree as a whole. */
static void scan_moved(struct store *s) {
  char path[2048];
  for (uint32_t i = 1; i <= s->node_count; i++) {
    const struct node *n = &s->nodes[i];
    if (!S_ISDIR(n->was.mode) || !n->at_name || n->at_parent == n->parent || !is_of_tree(s, n->parent) || stands_in_tree(s, i)) continue;
    struct scan scan = {.store = s, .top = n->is};
    int fd = open_node(s, i), list = fd < 0 ? -1 : openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    path_of(s, n->at_parent, n->at_name, path, sizeof path);
    if (list < 0) store_note(s, "unchecked", path);
    else scan_directory(&scan, list, &n->is, 0, path);
    if (list >= 0) close(list);
  }
}

void tell_escaped(struct store *s) {
  if (!s->listens || !s->tree.ino) return;
  tell_missing(s);
  scan_moved(s);
  for (uint32_t i = 1; i <= s->node_count; i++) {
    const struct node *n = &s->nodes[i];
    if (n->at_name && is_unkept(s, n) && was_written(n) && (is_of_tree(s, n->at_parent) || is_of_tree(s, n->parent)))
      tell(s, n->at_parent, n->at_name);
  }
  for (uint32_t i = 1; i <= s->entry_count; i++) {
    const struct entry *e = &s->entries[i];
    const struct node *n = &s->nodes[e->node];
    /* Only to be moved, and yet it is nowhere. */
    if (e->node && !n->at_name && !n->link && is_unkept(s, n) && !(s->nodes[e->parent].flags & CLOSED) && is_of_tree(s, e->parent))
      tell(s, e->parent, e->name);
  }
}
