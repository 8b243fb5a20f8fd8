/* What an undo can't put back, since it is nowhere any more. */
#include "restore.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <fcntl.h>

static int was_changed(const struct node *n) {
  const struct state *a = &n->was, *b = &n->end;
  return a->mode != b->mode || a->size != b->size || a->mtime != b->mtime || a->mtime_ns != b->mtime_ns;
}

/* A file that the action changed in its place, and that somebody has moved, replaced or removed since: nothing is brought to a
 * place that others have given to something else, but it is told, with where the old content is to be had. */
void tell_gone(void) {
  static char why[4096 + 64], vault[4096];
  char link[40], number[12];
  unsigned char *has_name = arena(undone->node_count + 1ull);
  for (uint32_t i = 1; has_name && i <= undone->entry_count; i++) has_name[undone->entries[i].node] = 1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", undone->vault);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, vault, sizeof vault - 1);
  vault[length > 0 ? length : 0] = 0;
  for (uint32_t i = 1; has_name && i <= undone->node_count; i++) {
    const struct node *n = &undone->nodes[i];
    if (n->at_name || !n->name || n->link || has_name[i] || S_ISDIR(n->was.mode) || !(n->flags & FINAL) || !(n->flags & (COPIED | META))) continue;
    if (n->flags & LEFT || n->id.born > undone->started || !was_changed(n) || is_hidden(undone, n->parent) || (keeping && find_node(keeping, &n->id))) continue;
    if (n->copy) snprintf(why, sizeof why, "not there any more; its old content is kept in %s/c/%s", vault, decimal(n->copy, number));
    else snprintf(why, sizeof why, "not there any more%s", n->flags & COPIED ? "; it was empty" : "");
    refuse(n->parent, n->name, why);
  }
}
