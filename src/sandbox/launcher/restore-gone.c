/* What an undo leaves alone, and what it can't put back since it is nowhere any more: in words, with where the old content is. */
#include "restore.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <fcntl.h>

static int was_changed(const struct node *n) {
  const struct state *a = &n->was, *b = &n->end;
  return a->mode != b->mode || a->size != b->size || a->mtime != b->mtime || a->mtime_ns != b->mtime_ns;
}

/* Where its old content is kept, for the user: for as long as the action is. */
static void add_place(const struct node *n, char *to, uint64_t size) {
  static char vault[4096];
  char link[40], number[12];
  uint64_t at = strlen(to);
  const uint32_t kept = n->flags & COPIED ? n->copy : n->link;
  snprintf(link, sizeof link, "/proc/self/fd/%d", undone->vault);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, vault, sizeof vault - 1);
  vault[length > 0 ? length : 0] = 0;
  if (kept) snprintf(to + at, size - at, "; its old content is kept in %s/%s/%s", vault, n->flags & COPIED ? "c" : "l", decimal(kept, number));
  else if (n->flags & COPIED) snprintf(to + at, size - at, "; it was empty");
}

static char why[4096 + 128];
#define CUT "may have been changed since the action was cut off"

const char *why_left(const struct entry *e) {
  const struct node *n = &undone->nodes[e->node];
  /* At its end something stood there of which nobody knew whose it is. */
  const int unknown = e->flags & FINAL && !e->end.ino && e->end_state.mode && e->now.ino;
  const char *because = e->flags & TIED ? "moved with what was changed since" : undone->nodes[e->parent].at_name ? unknown ? CUT : "changed since" : NOT_THERE;
  snprintf(why, sizeof why, "%s", because);
  if (e->node && !n->at_name && S_ISREG(n->was.mode)) add_place(n, why, sizeof why);
  return why;
}

const char *why_changed(const struct node *n) {
  if (!(n->flags & FINAL) || n->end.mode) return "changed since";
  snprintf(why, sizeof why, "%s", CUT);
  add_place(n, why, sizeof why);
  return why;
}

/* A file that the action changed in its place, and that somebody has moved, replaced or removed since: nothing is brought to a
 * place that others have given to something else, but it is told, with where the old content is to be had. */
void tell_gone(void) {
  unsigned char *has_name = arena(undone->node_count + 1ull);
  for (uint32_t i = 1; has_name && i <= undone->entry_count; i++) has_name[undone->entries[i].node] = 1;
  for (uint32_t i = 1; has_name && i <= undone->node_count; i++) {
    const struct node *n = &undone->nodes[i];
    if (n->at_name || !n->name || n->link || has_name[i] || S_ISDIR(n->was.mode) || !(n->flags & FINAL) || !(n->flags & (COPIED | META))) continue;
    if (n->flags & LEFT || n->id.born > undone->started || !was_changed(n) || is_hidden(undone, n->parent) || (keeping && find_node(keeping, &n->id))) continue;
    snprintf(why, sizeof why, "not there any more");
    add_place(n, why, sizeof why);
    refuse(n->parent, n->name, why);
  }
}
