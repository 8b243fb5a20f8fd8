/* What somebody changed since the action ended: an undo leaves it alone. */
#include "restore.h"

static int is_dir(const struct state *s) { return S_ISDIR(s->mode); }

/* An attempt of ours that was cut may have touched it: that something is missing there is no news then. */
static int touched_before(uint32_t parent, const char *name) {
  uint32_t p = keeping && parent ? find_node(keeping, &undone->nodes[parent].is) : 0;
  return p && find_entry(keeping, p, name);
}

int same_node(const struct id *now, uint32_t node) {
  return node && (same_id(now, &undone->nodes[node].id) || (undone->nodes[node].at_name && same_id(now, &undone->nodes[node].is)));
}

static int same_mtime(const struct state *a, const struct state *b) { return a->mtime == b->mtime && a->mtime_ns == b->mtime_ns; }

/* Such an attempt has come near this file (`known`, in `keeping`). It gives names and times; what it was writing to may be of
 * no size yet, or all of it. Anything else was somebody else. */
static int edited_after(uint32_t known, const struct id *now, const struct state *state) {
  const struct node *k = &keeping->nodes[known], *n = &undone->nodes[find_node(undone, now)];
  if (is_dir(state) || !S_ISREG(state->mode)) return 0;
  if (k->flags & COPIED) return state->size && state->size != k->was.size && state->size != n->was.size;
  return state->size != k->was.size || !(same_mtime(state, &k->was) || same_mtime(state, &n->was));
}

/* Somebody else changed what the name stands for since the action ended. */
int name_changed(const struct entry *e) {
  struct id at = e->now;
  if (!(e->flags & FINAL)) return 0;
  const int ours = touched_before(e->parent, e->name);
  if (!undone->nodes[e->parent].at_name) return !ours && e->end.ino != 0;
  if (!e->now.ino) return !ours && e->end.ino != 0 && e->node != 0;
  if (same_node(&e->now, e->node)) return 0;
  const uint32_t known = keeping ? find_node(keeping, &e->now) : 0;
  if (known) return edited_after(known, &e->now, &e->now_state);
  if (ours && older_id(&at, &at)) return 0; /* made by us */
  if (!e->end.ino) return 1;
  if (is_dir(&e->now_state)) {
    for (int i = 0; i < 64; i++) {
      if (same_id(&at, &e->end)) return 0;
      if (!older_id(&at, &at)) break;
    }
    return 1;
  }
  return !unchanged(&e->now, &e->now_state, &e->end, &e->end_state);
}

/* It has a name that the action never came near, and by that somebody has written to it. Our link to it shows that. That names
 * came or went besides is no such change. */
static int changed_by_another_name(const struct node *n) {
  struct id id;
  struct state now;
  char number[12];
  const struct state *end = &n->end;
  if (!n->link || !(n->flags & (COPIED | META)) || look(undone->links, decimal(n->link, number), 0, &id, &now)) return 0;
  if (!same_id(&id, &n->id) || now.links < 2 || unchanged(&id, &now, &n->id, end) || unchanged(&id, &now, &n->id, &n->was)) return 0;
  return now.links == end->links || now.size != end->size || now.mode != end->mode || now.mtime != end->mtime || now.mtime_ns != end->mtime_ns;
}

int node_changed(const struct node *n) {
  if (!(n->flags & FINAL) || (n->at_name ? is_dir(&n->now) : is_dir(&n->was))) return 0;
  const uint32_t is = keeping ? find_node(keeping, &n->is) : 0, was = keeping ? find_node(keeping, &n->id) : 0;
  if (is || was) return n->at_name && is ? edited_after(is, &n->is, &n->now) : 0;
  if (!n->at_name) return changed_by_another_name(n);
  /* A part of the action may have been taken back before. */
  return !unchanged(&n->is, &n->now, &n->id, &n->end) && !unchanged(&n->is, &n->now, &n->id, &n->was);
}

void remember_changed(void) {
  for (uint32_t i = 1; i <= undone->entry_count; i++) {
    const struct entry *e = &undone->entries[i];
    const uint32_t above = e->flags & BLOCKED ? find_node(keeping, &undone->nodes[e->parent].is) : 0;
    const uint32_t its = above ? find_entry(keeping, above, e->name) : 0;
    if (its) keeping->entries[its].flags |= LATE;
  }
  for (uint32_t i = 1; i <= undone->node_count; i++) {
    const struct node *n = &undone->nodes[i];
    const uint32_t its = n->flags & BLOCKED && n->at_name ? find_node(keeping, &n->is) : 0;
    if (its) keeping->nodes[its].flags |= LATE;
  }
}
