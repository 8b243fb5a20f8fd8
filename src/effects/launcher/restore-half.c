/*
 * A step of an undo was cut off: whether a file is still as it was before that step, or as the step itself may have left it.
 * Where it is neither, somebody has changed it since.
 */
#include "restore.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WRITABLE = 0600, GOES_WITH_OWNER = 06000 };

static int same_content(const struct state *a, const struct state *b) {
  return a->size == b->size && a->mtime == b->mtime && a->mtime_ns == b->mtime_ns;
}

static int is_mode(uint32_t now, uint32_t mode) {
  return !((now ^ mode) & ~(uint32_t)GOES_WITH_OWNER) && !(now & ~mode & GOES_WITH_OWNER);
}

/* Owner, attributes and mode are set one after the other, and what its owner made read-only is opened for as long. */
static int state_fits(const struct state *now, const struct state *before, const struct node *n) {
  if (now->uid != before->uid && !(n && now->uid == n->was.uid)) return 0;
  if (now->gid != before->gid && !(n && now->gid == n->was.gid)) return 0;
  if (is_mode(now->mode, before->mode) || is_mode(now->mode, before->mode | WRITABLE)) return 1;
  return n && (is_mode(now->mode, n->was.mode) || is_mode(now->mode, mode_without_list(n) | (n->was.mode & S_IFMT)));
}

/* It is filled from its beginning on: so much of the old content, and behind it nothing yet. */
static int is_begun(int there, int kept) {
  static char now[1 << 14], old[1 << 14];
  int empty = 0;
  for (;;) {
    const ssize_t n = read(there, now, sizeof now), m = read(kept, old, sizeof old);
    if (n <= 0 || n != m) return n == m && !n;
    for (ssize_t i = 0; i < n; i++) {
      empty |= now[i] != old[i];
      if (empty && now[i]) return 0;
    }
  }
}

static int is_partly_filled(const struct node *n, const struct id *id, const struct state *now, int directory, const char *name) {
  char number[12];
  struct id copy;
  if (!(n->flags & COPIED) || !S_ISREG(now->mode) || (now->size && now->size != n->was.size) || !is_time_of_undo(now)) return 0;
  if (!now->size) return 1;
  const char *as = decimal(n->copy, number);
  /* Where the copy itself became the file, comparing says nothing. */
  if (look(undone->copies, as, 0, &copy, NULL) || same_id(&copy, id)) return 0;
  const int there = openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  const int kept = openat(undone->copies, as, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  const int begun = there >= 0 && kept >= 0 && is_begun(there, kept);
  if (there >= 0) close(there);
  if (kept >= 0) close(kept);
  return begun;
}

static int content_fits(const struct state *now, const struct state *before, const struct node *n, const struct id *id, int directory, const char *name) {
  if (same_content(now, before)) return 1;
  return n && (same_content(now, &n->was) || is_partly_filled(n, id, now, directory, name));
}

/* Attributes are set here where the one of them has any, and those of what is in the store of the undo are known. */
static int attributes_fit(const struct node *n, const struct node *own, int directory, const char *name) {
  if (!own->link && !own->attributes && !(n && n->attributes)) return 1;
  return !attributes_beyond(undone, directory, name, n, own);
}

int is_half_done(const struct id *id, const struct state *now, const struct state *left, int directory, const char *name) {
  const uint32_t own = find_node(keeping, id), which = node_of(undone, id);
  const struct node *n = which ? &undone->nodes[which] : NULL;
  const struct state *before[] = {left, own ? &keeping->nodes[own].was : NULL, n && n->flags & FINAL && n->end.mode ? &n->end : NULL,
                                  n ? &n->was : NULL};
  for (unsigned i = 0; i < sizeof before / sizeof *before; i++)
    if (before[i] && state_fits(now, before[i], n) && content_fits(now, before[i], n, id, directory, name)) return attributes_fit(n, &keeping->nodes[own], directory, name);
  return 0;
}
