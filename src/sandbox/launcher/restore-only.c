/* A part of an action is taken back: the paths that are named, and what lies below them. */
#include "restore.h"

#include <string.h>

static int is_meant(uint32_t parent, const char *name, char *const *paths, int count) {
  static char path[1 << 14];
  path_of(undone, parent, name, path, sizeof path);
  for (int i = 0; i < count; i++)
    if (is_below(path, paths[i])) return 1;
  return 0;
}

void leave_all_but(char *const *paths, int count) {
  for (uint32_t i = 1; i <= undone->entry_count; i++) {
    struct entry *e = &undone->entries[i];
    const struct node *n = &undone->nodes[e->node];
    int came_from_here = e->node && n->at_name && is_meant(n->at_parent, n->at_name, paths, count);
    if (!came_from_here && !is_meant(e->parent, e->name, paths, count)) e->flags |= LEFT;
  }
  for (uint32_t i = 1; i <= undone->node_count; i++) {
    struct node *n = &undone->nodes[i];
    if (!n->at_name || !is_meant(n->at_parent, n->at_name, paths, count)) n->flags |= LEFT;
  }
}
