/* The other names of files that an action wrote to by one of several. */
#include "store.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 1 << 16, MAX_SEEN = 400000, MAX_DEPTH = 1500, ENTRIES = 1 << 15 };

static struct other_name {
  uint32_t node, parent;
  const char *name;
} *names;
static uint32_t count;
static const struct store *of;

void add_other_name(struct store *s, uint32_t node, uint32_t parent, const char *name) {
  of = s;
  if (!names) names = arena(sizeof *names * (uint64_t)MOST);
  if (names && count < MOST) names[count++] = (struct other_name){node, parent, name};
}

uint32_t next_other_name(const struct store *s, uint32_t *at, uint32_t *parent, const char **name) {
  if (s != of || *at >= count) return 0;
  *parent = names[*at].parent;
  *name = names[*at].name;
  return names[(*at)++].node;
}

static int is_sought(const struct store *s, uint32_t node) {
  const struct node *n = &s->nodes[node];
  return node && S_ISREG(n->was.mode) && n->flags & (COPIED | META) && n->was.links > 1 && n->name && n->id.born <= s->started;
}

static void note(struct store *s, int directory, const char *name) {
  struct id id;
  if (look(directory, name, 0, &id, NULL)) return;
  const uint32_t n = find_node(s, &id);
  if (!is_sought(s, n)) return;
  const int outside = s->outside_count ? outside_of(s, directory) : -1;
  const uint32_t parent = s->outside_count && outside < 0 ? 0 : keep_directory(s, outside >= 0 ? outside : directory);
  if (outside >= 0) close(outside);
  if (!parent || (s->nodes[n].parent == parent && !strcmp(s->nodes[n].name, name))) return;
  store_write(s, R_ALSO, 0, &id, &s->nodes[parent].id, NULL, name, (uint32_t)strlen(name));
}

/* Takes the descriptor. By the numbers of inodes that the directory itself tells. */
static void go_through(struct store *s, int fd, const uint64_t *sought, uint32_t mask, uint32_t *seen, int depth) {
  char *entries = fd < 0 ? NULL : arena(ENTRIES);
  if (entries)
    for (long got; (got = syscall(SYS_getdents64, fd, entries, ENTRIES)) > 0;)
      for (long at = 0; at < got && ++*seen < MAX_SEEN; at += *(const unsigned short *)(entries + at + 16)) {
        const char *name = entries + at + 19;
        uint64_t ino;
        memcpy(&ino, entries + at, 8);
        if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
        if (entries[at + 18] == 4 /* DT_DIR */) {
          if (depth < MAX_DEPTH) go_through(s, openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), sought, mask, seen, depth + 1);
          continue;
        }
        uint32_t slot = (uint32_t)ino & mask;
        while (sought[slot] && sought[slot] != ino) slot = (slot + 1) & mask;
        if (sought[slot]) note(s, fd, name);
      }
  if (entries) syscall(SYS_munmap, entries, ENTRIES);
  if (fd >= 0) close(fd);
}

void note_other_names(struct store *s, const char *tree) {
  uint32_t many = 0, size = 64, seen = 0;
  for (uint32_t i = 1; i <= s->node_count; i++) many += is_sought(s, i) != 0;
  while (size < 2 * many) size *= 2;
  uint64_t *sought = many ? arena(sizeof *sought * size) : NULL;
  if (!sought) return;
  for (uint32_t i = 1; i <= s->node_count; i++) {
    uint32_t slot = (uint32_t)s->nodes[i].id.ino & (size - 1);
    if (!is_sought(s, i)) continue;
    while (sought[slot] && sought[slot] != s->nodes[i].id.ino) slot = (slot + 1) & (size - 1);
    sought[slot] = s->nodes[i].id.ino;
  }
  go_through(s, open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC), sought, size - 1, &seen, 0);
}

void locate_by_other_names(struct store *s) {
  struct id id;
  struct state state;
  for (uint32_t i = 0; s == of && i < count; i++) {
    struct node *n = &s->nodes[names[i].node];
    /* Of what lost a name by the action there is a link in the store, which is found as well. */
    const int fd = n->at_name || n->link ? -1 : open_node(s, names[i].parent);
    if (fd < 0 || look(fd, names[i].name, 0, &id, &state) || !same_id(&id, &n->id)) continue;
    n->at_parent = names[i].parent;
    n->at_name = names[i].name;
    n->is = id;
    n->now = state;
    n->flags |= BY_OTHER;
  }
}
