/*
 * Names whose files the action moved among each other are restored together or not at all: if one of them was changed
 * since, restoring a part would overwrite one file by another.
 */
#include "restore.h"

static uint32_t *above, *takers;

static uint32_t root_of(uint32_t entry) {
  while (above[entry] != entry) entry = above[entry] = above[above[entry]];
  return entry;
}

/* The current place of the file that had this name, if the action has moved it to another name. */
static uint32_t place_of(const struct entry *e) {
  const struct node *n = &undone->nodes[e->node];
  if (!e->node || !n->at_name || n->at_parent == ELSEWHERE) return 0;
  if (e->now.ino && (same_id(&e->now, &n->id) || same_id(&e->now, &n->is))) return 0;
  return find_entry(undone, n->at_parent, n->at_name);
}

/* Whether the directory exists, or the action removed it and the undo restores it. A closed directory counts as
 * existing until it is opened. */
static int comes_back(uint32_t node, const uint32_t *entry_of) {
  for (uint32_t steps = 0; steps <= undone->node_count; steps++) {
    if (undone->nodes[node].at_name || is_hidden(undone, node)) return 1;
    const struct entry *e = &undone->entries[entry_of[node]];
    if (!entry_of[node] || e->flags & BLOCKED) return 0;
    if (e->flags & LEFT) return 1; /* nobody has changed it */
    node = e->parent;
  }
  return 0;
}

/* The directory was moved or removed since, so what the action moved out of it can't be moved back. */
static int block_homeless(void) {
  uint32_t *entry_of = arena(sizeof *entry_of * (undone->node_count + 1ull));
  if (!entry_of) return -1;
  for (uint32_t i = 1; i <= undone->entry_count; i++) entry_of[undone->entries[i].node] = i;
  entry_of[0] = 0;
  for (uint32_t i = 1; i <= undone->entry_count; i++) {
    struct entry *e = &undone->entries[i];
    if (e->node && !(e->flags & (BLOCKED | LEFT)) && !comes_back(e->parent, entry_of)) e->flags |= BLOCKED;
  }
  return 0;
}

/* Whether other former names of the file take it from where it is now. */
static int is_taken(const struct entry *e) { return e->flags & BLOCKED && takers[e->node]; }

int tie_names(void) {
  uint32_t count = undone->entry_count;
  above = arena(sizeof *above * (count + 1ull));
  takers = arena(sizeof *takers * (undone->node_count + 1ull));
  if (!above || !takers || block_homeless()) return -1;
  for (uint32_t i = 0; i <= count; i++) {
    above[i] = i;
    if (i && !(undone->entries[i].flags & (BLOCKED | LEFT))) takers[undone->entries[i].node]++;
  }
  for (uint32_t i = 1; i <= count; i++) {
    uint32_t there = is_taken(&undone->entries[i]) ? 0 : place_of(&undone->entries[i]);
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
