/* Undoes a part of an action: the named paths, and everything below them. */
#include "restore.h"

#include <string.h>

static char *const *meant;
static uint32_t *slots, slot_count;

/* Adds one letter to the hash, so that each beginning of a path has a value on the way. */
static uint32_t mixed(uint32_t hash, char letter) { return (hash ^ (unsigned char)letter) * 16777619u; }

static uint32_t slot_of(uint32_t hash) { return (hash ^ hash >> 15) & (slot_count - 1); }

static int learn(char *const *paths, int count) {
  for (slot_count = 64; slot_count < 2 * (uint32_t)count;) slot_count *= 2;
  if (!(slots = arena(sizeof *slots * (uint64_t)slot_count))) return -1;
  meant = paths;
  for (int i = 0; i < count; i++) {
    uint32_t hash = 0;
    for (const char *c = paths[i]; *c; c++) hash = mixed(hash, *c);
    uint32_t at = slot_of(hash);
    while (slots[at]) at = (at + 1) & (slot_count - 1);
    slots[at] = (uint32_t)i + 1;
  }
  return 0;
}

static int is_known(uint32_t hash, const char *path, uint64_t length) {
  for (uint32_t at = slot_of(hash); slots[at]; at = (at + 1) & (slot_count - 1)) {
    const char *known = meant[slots[at] - 1];
    if (!strncmp(known, path, length) && !known[length]) return 1;
  }
  return 0;
}

static int is_meant(uint32_t parent, const char *name) {
  static char path[1 << 14];
  uint32_t hash = 0;
  uint64_t at = 0;
  path_of(undone, parent, name, path, sizeof path);
  for (; path[at]; hash = mixed(hash, path[at++]))
    if (at && path[at] == '/' && is_known(hash, path, at)) return 1;
  return is_known(hash, path, at);
}

int leave_all_but(char *const *paths, int count) {
  if (learn(paths, count)) return -1;
  for (uint32_t i = 1; i <= undone->entry_count; i++) {
    struct entry *e = &undone->entries[i];
    const struct node *n = &undone->nodes[e->node];
    int came_from_here = e->node && n->at_name && is_meant(n->at_parent, n->at_name);
    if (!came_from_here && !is_meant(e->parent, e->name)) e->flags |= LEFT;
  }
  for (uint32_t i = 1; i <= undone->node_count; i++) {
    struct node *n = &undone->nodes[i];
    if (!n->at_name || !is_meant(n->at_parent, n->at_name)) n->flags |= LEFT;
  }
  return 0;
}
