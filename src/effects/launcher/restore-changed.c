/* What somebody changed since the action ended: an undo leaves it alone. */
#include "restore.h"

static int is_dir(const struct state *s) { return S_ISDIR(s->mode); }

int same_node(const struct id *now, uint32_t node) {
  return node && (same_id(now, &undone->nodes[node].id) || (undone->nodes[node].at_name && same_id(now, &undone->nodes[node].is)));
}

static int same_but_names(const struct state *a, const struct state *b) {
  return a->size == b->size && a->mode == b->mode && a->uid == b->uid && a->gid == b->gid && a->mtime == b->mtime && a->mtime_ns == b->mtime_ns;
}

/* As when the action had ended; or, of what this undo came to before it was cut, none but those which were there and are to be. */
static int same_attributes(const struct node *n, int fd, const char *name) {
  const struct node *k = keeping ? &keeping->nodes[find_node(keeping, &n->is)] : NULL;
  if (k && k->attributes) return !attributes_beyond(undone, fd, name, n, k);
  return !n->end_attributes || !attributes_differ(undone, fd, name, n->end_attributes, n->end_attributes_size);
}

/* Of a file with several names each that comes, goes or is moved sets the time of change. It was there before the action, so that
 * nothing goes with one of its names. */
static int only_names_changed(const struct entry *e) {
  const uint32_t known = same_id(&e->now, &e->end) ? find_node(undone, &e->now) : 0;
  if (!known || made_by_action(&undone->nodes[known]) || (e->now_state.links < 2 && e->end_state.links < 2)) return 0;
  return same_but_names(&e->now_state, &e->end_state) && same_attributes(&undone->nodes[known], open_node(undone, e->parent), e->name);
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
  if (unchanged(&e->now, &e->now_state, &e->end, &e->end_state) || only_names_changed(e)) return 0;
  return !is_left(&e->now, &e->now_state, open_node(undone, e->parent), e->name);
}

/* It has a name that the action never came near, and by that somebody has written to it. A link of ours to it shows that. That
 * names came or went besides is no such change. */
static int changed_by_another_name(const struct node *n) {
  struct id id;
  struct state now;
  char number[12];
  const char *name;
  const struct state *end = &n->end;
  if (!(n->flags & (COPIED | META))) return 0;
  const int fd = n->link && !look(undone->links, decimal(n->link, number), 0, &id, NULL) ? undone->links : by_our_link(n, number, &name);
  if (fd == undone->links) name = decimal(n->link, number);
  if (fd < 0 || look(fd, name, 0, &id, &now) || !same_id(&id, &n->is) || now.links < 2) return 0;
  if (unchanged(&id, &now, &n->id, end) || unchanged(&id, &now, &n->id, &n->was) || is_left(&id, &now, fd, name)) return 0;
  return (fd == undone->links && now.links == end->links) || !same_but_names(&now, end) || !same_attributes(n, fd, name);
}


int node_changed(const struct node *n) {
  if (!(n->flags & FINAL) || (n->at_name ? is_dir(&n->now) : is_dir(&n->was))) return 0;
  if (!n->at_name) return changed_by_another_name(n);
  /* A part of the action may have been taken back before. */
  if (unchanged(&n->is, &n->now, &n->id, &n->end) || unchanged(&n->is, &n->now, &n->id, &n->was)) return 0;
  /* That one of its names came, went or was moved is no change of it. */
  const int has_names = n->flags & BY_OTHER || n->now.links > 1 || n->end.links > 1;
  if (has_names && n->end.mode && same_but_names(&n->now, &n->end) && same_attributes(n, open_node(undone, n->at_parent), n->at_name)) return 0;
  return !is_left(&n->is, &n->now, open_node(undone, n->at_parent), n->at_name);
}

/* Names came or went in it. An undo does that itself: once it has begun, it is by the time that others are told from it. */
int directory_changed(const struct node *n) {
  if (!n->at_name || !is_dir(&n->now)) return 0;
  const uint32_t held = keeping && keeping->resumes ? find_node(keeping, &n->is) : 0;
  return held ? !is_time_of_ours(&n->now, n, &keeping->nodes[held]) : n->flags & FINAL && !is_time(&n->now, &n->end);
}
