/*
 * Names whose files the action moved among each other come back together, or not at all: where one of them was changed
 * since, a part would put one file over another.
 */
#include "restore.h"

static uint32_t *above;

static uint32_t root_of(uint32_t entry) {
  while (above[entry] != entry) entry = above[entry] = above[above[entry]];
  return entry;
}

/* Where the file of this name is now, if the action has put it at another one. */
static uint32_t place_of(const struct entry *e) {
  const struct node *n = &undone->nodes[e->node];
  if (!e->node || !n->at_name || n->at_parent == ELSEWHERE) return 0;
  if (e->now.ino && (same_id(&e->now, &n->id) || same_id(&e->now, &n->is))) return 0;
  return find_entry(undone, n->at_parent, n->at_name);
}

int tie_names(void) {
  uint32_t count = undone->entry_count;
  above = arena(sizeof *above * (count + 1ull));
  if (!above) return -1;
  for (uint32_t i = 0; i <= count; i++) above[i] = i;
  for (uint32_t i = 1; i <= count; i++) {
    uint32_t there = place_of(&undone->entries[i]);
    if (there) above[root_of(there)] = root_of(i);
  }
  for (uint32_t i = 1; i <= count; i++)
    if (undone->entries[i].flags & BLOCKED) undone->entries[root_of(i)].flags |= TIES;
  for (uint32_t i = 1; i <= count; i++) {
    struct entry *e = &undone->entries[i];
    if (e->flags & BLOCKED || !(undone->entries[root_of(i)].flags & TIES)) continue;
    uint32_t there = place_of(e);
    e->flags |= TIED;
    if (there) undone->nodes[e->node].flags |= LEFT;
  }
  for (uint32_t i = 1; i <= count; i++)
    if (undone->entries[i].flags & TIED) undone->entries[i].flags |= BLOCKED;
  return 0;
}

const char *why_left(const struct entry *e) { return e->flags & TIED ? "moved with what was changed since" : "changed since"; }
