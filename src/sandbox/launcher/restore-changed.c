/* What somebody changed since the action ended: an undo leaves it alone. */
#include "restore.h"

static int is_dir(const struct state *s) { return S_ISDIR(s->mode); }

int same_node(const struct id *now, uint32_t node) {
  return node && (same_id(now, &undone->nodes[node].id) || (undone->nodes[node].at_name && same_id(now, &undone->nodes[node].is)));
}

/* Somebody else changed what the name stands for since the action ended. */
int name_changed(const struct entry *e) {
  struct id at = e->now;
  if (!(e->flags & FINAL) || name_is_left(e)) return 0;
  if (!undone->nodes[e->parent].at_name) return e->end.ino != 0;
  if (!e->now.ino) return e->end.ino != 0 && e->node != 0;
  if (same_node(&e->now, e->node)) return 0;
  if (!e->end.ino) return 1;
  if (is_dir(&e->now_state)) {
    for (int i = 0; i < 64; i++) {
      if (same_id(&at, &e->end)) return 0;
      if (!older_id(&at, &at)) break;
    }
    return 1;
  }
  return !unchanged(&e->now, &e->now_state, &e->end, &e->end_state) && !is_left(&e->now, &e->now_state);
}

/* It has a name that the action never came near, and by that somebody has written to it. Our link to it shows that. That names
 * came or went besides is no such change. */
static int changed_by_another_name(const struct node *n) {
  struct id id;
  struct state now;
  char number[12];
  const struct state *end = &n->end;
  if (!n->link || !(n->flags & (COPIED | META)) || look(undone->links, decimal(n->link, number), 0, &id, &now)) return 0;
  if (!same_id(&id, &n->id) || now.links < 2 || unchanged(&id, &now, &n->id, end) || unchanged(&id, &now, &n->id, &n->was) || is_left(&id, &now)) return 0;
  return now.links == end->links || now.size != end->size || now.mode != end->mode || now.mtime != end->mtime || now.mtime_ns != end->mtime_ns;
}

static int same_but_names(const struct state *a, const struct state *b) {
  return a->size == b->size && a->mode == b->mode && a->uid == b->uid && a->gid == b->gid && a->mtime == b->mtime && a->mtime_ns == b->mtime_ns;
}

int node_changed(const struct node *n) {
  if (!(n->flags & FINAL) || (n->at_name ? is_dir(&n->now) : is_dir(&n->was))) return 0;
  if (!n->at_name) return changed_by_another_name(n);
  /* That one of its names came, went or was moved is no change of it. */
  if ((n->flags & BY_OTHER || n->now.links != n->end.links) && n->end.mode && same_but_names(&n->now, &n->end)) return 0;
  /* A part of the action may have been taken back before. */
  return !unchanged(&n->is, &n->now, &n->id, &n->end) && !unchanged(&n->is, &n->now, &n->id, &n->was) && !is_left(&n->is, &n->now);
}

static int same_mode(const struct node *n, uint32_t mode) { return n->now.mode == mode || n->now.mode == (mode | 0700); }

/* Names came or went in it, or its mode was set. An undo does both itself: there the time of its names decides. */
int directory_changed(const struct node *n) {
  const struct state *end = &n->end, *now = &n->now;
  if (!n->at_name || !is_dir(now) || !(n->flags & FINAL)) return 0;
  if (!keeping || !find_node(keeping, &n->is)) return now->mtime != end->mtime || now->mtime_ns != end->mtime_ns || now->mode != end->mode;
  if (!keeping->resumes) return 0;
  return is_late_time(keeping, now->mtime, now->mtime_ns) || !(same_mode(n, end->mode) || same_mode(n, n->was.mode));
}
