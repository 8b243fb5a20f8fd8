/* The texts about what an undo leaves alone, and about files that it can't restore since they no longer exist, with
 * the place of the old content. */
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

/* Adds the place where the old content is kept, for as long as the action is kept. */
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

/* Whether the file exists and keeps what the action has written to it. */
static int keeps_content(const struct node *n) { return n->at_name && n->flags & (LEFT | BLOCKED) && n->flags & COPIED && n->flags & FINAL && was_changed(n); }

const char *why_left(const struct entry *e) {
  const struct node *n = &undone->nodes[e->node ? e->node : find_node(undone, &e->now)];
  /* When the action ended, a file of unknown origin had this name. */
  const int unknown = e->flags & FINAL && !e->end.ino && e->end_state.mode && e->now.ino;
  const char *because = e->flags & TIED ? "moved with what was changed since" : undone->nodes[e->parent].at_name ? unknown ? CUT : "changed since" : NOT_THERE;
  snprintf(why, sizeof why, "%s", because);
  if (S_ISREG(n->was.mode) && ((e->node && !n->at_name) || keeps_content(n))) add_place(n, why, sizeof why);
  return why;
}

const char *why_changed(const struct node *n) {
  const int is_known = !(n->flags & FINAL) || n->end.mode;
  /* An undo that was interrupted here may have left a part of the old content in the file. */
  if (is_known && !(keeping && keeping->resumes)) return "changed since";
  snprintf(why, sizeof why, "%s", is_known ? "changed since" : CUT);
  add_place(n, why, sizeof why);
  return why;
}

/* Reports the other names of a file that stays as the action has left it, since one of its names stays. */
void tell_other_names(void) {
  struct id id;
  uint32_t parent, which, at = 0;
  const char *name;
  while ((which = next_other_name(undone, &at, &parent, &name))) {
    const struct node *n = &undone->nodes[which];
    const int is_it = n->at_name && n->at_parent == parent && !strcmp(n->at_name, name);
    if (is_it || !keeps_content(n) || n->now.size != n->end.size || n->now.mtime != n->end.mtime || n->now.mtime_ns != n->end.mtime_ns) continue;
    const int fd = open_node(undone, parent);
    if (fd < 0 || look(fd, name, 0, &id, NULL) || !same_id(&id, &n->is)) continue;
    snprintf(why, sizeof why, "another name of what stays as it is");
    add_place(n, why, sizeof why);
    refuse(parent, name, why);
  }
}

/* Reports files that the action changed in place and that somebody has moved, replaced or removed since. Nothing is
 * written to a place that others have used since; the report says where the old content is. */
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
