/*
 * What somebody changed since the action ended, or while this undo was interrupted. An undo leaves it alone.
 *
 * An interrupted undo is begun again from its plan. A file that it has touched is then in its old state, in its wanted
 * state, or between the two: each of its content, mode, owner and attributes is as before or as wanted. Anything else
 * is the change of somebody else. Files that others had changed before the first step are recorded, since links and
 * moves change the time of such a file.
 */
#include "restore.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_dir(const struct state *s) { return S_ISDIR(s->mode); }

enum { WRITABLE = 0600, GOES_WITH_OWNER = 06000, MAX_OTHERS = 1 << 20 };

static int resumes(void) { return keeping && keeping->resumes; }

void step(void) { syscall(SYS_utimensat, keeping->journal, NULL, NULL, 0); }

static int same_content(const struct state *a, const struct state *b) { return a->size == b->size && is_time(a, b); }

static int is_mode(uint32_t now, uint32_t mode) {
  return !((now ^ mode) & ~(uint32_t)GOES_WITH_OWNER) && !(now & ~mode & GOES_WITH_OWNER);
}

/* Owner, attributes and mode are set one after the other. A read-only file is writable for its owner in that time. */
static int state_fits(const struct state *now, const struct state *before, const struct node *n) {
  if (now->uid != before->uid && !(n && now->uid == n->was.uid)) return 0;
  if (now->gid != before->gid && !(n && now->gid == n->was.gid)) return 0;
  if (is_mode(now->mode, before->mode) || is_mode(now->mode, before->mode | WRITABLE)) return 1;
  return n && (is_mode(now->mode, n->was.mode) || is_mode(now->mode, mode_without_list(n) | (n->was.mode & S_IFMT)));
}

/* Whether one file has the beginning of the other, and then only zeros. */
static int is_begun(int there, int kept) {
  static char now[1 << 14], old[1 << 14];
  int empty = 0;
  for (;;) {
    const ssize_t n = read(there, now, sizeof now), m = read(kept, old, sizeof old);
    if (n <= 0 || n != m) return n == m && !n;
    for (ssize_t i = 0; i < n; i++) {
      empty |= now[i] != old[i];
      if (empty && now[i]) return 0;
    }
  }
}

/* Whether the file's old content was written only in part. Only a file with several names is filled in place, after
 * a copy of its content was kept. */
static int is_partly_filled(const struct node *n, const struct node *own, const struct state *now, int directory,
                            const char *name) {
  char number[12];
  if (!(n->flags & own->flags & COPIED) || (now->size && now->size != n->was.size) || !is_time_of_undo(now)) return 0;
  if (!now->size) return 1;
  const int there = openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  const int kept = openat(undone->copies, decimal(n->copy, number), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  const int begun = there >= 0 && kept >= 0 && is_begun(there, kept);
  if (there >= 0) close(there);
  if (kept >= 0) close(kept);
  return begun;
}

/* Whether this undo has touched the file or its name. `there`: what the undo's store knows of the file, or of the
 * file that had the name before. */
static int is_touched(const struct id *id, int directory, const char *name, const struct node **there) {
  struct id at;
  const uint32_t own = find_node(keeping, id);
  *there = &keeping->nodes[own];
  if (own) return 1;
  const uint32_t above = look(directory, "", 0, &at, NULL) ? 0 : find_node(keeping, &at);
  const uint32_t e = above ? find_entry(keeping, above, name) : 0;
  if (e) *there = &keeping->nodes[keeping->entries[e].node];
  return e != 0;
}

/* Whether a file that this undo touched before it was interrupted is between its old and its wanted state. */
static int is_between(const struct id *id, const struct state *now, int directory, const char *name) {
  const struct node *own;
  if (!resumes() || is_late(keeping, now) || !is_touched(id, directory, name, &own)) return 0;
  const uint32_t which = node_of(undone, id);
  const struct node *n = which ? &undone->nodes[which] : NULL;
  const struct state *before[] = {same_id(&own->id, id) ? &own->was : NULL,
                                  n && n->flags & FINAL && n->end.mode ? &n->end : NULL, n ? &n->was : NULL};
  for (unsigned i = 0; i < sizeof before / sizeof *before; i++) {
    if (!before[i] || !state_fits(now, before[i], n)) continue;
    if (same_content(now, before[i]) || (n && same_content(now, &n->was)) ||
        (n && is_partly_filled(n, own, now, directory, name)))
      return !attributes_beyond(undone, directory, name, n, own);
  }
  return 0;
}

/* Whether this undo has left the name in this state: it moved the file away that had the name, or put a known file
 * there. */
static int name_is_between(const struct entry *e) {
  const uint32_t above = resumes() ? find_node(keeping, &undone->nodes[e->parent].is) : 0;
  if (!above || !find_entry(keeping, above, e->name)) return 0;
  if (!e->now.ino) return 1;
  if (!find_node(keeping, &e->now) && !node_of(undone, &e->now)) return 0;
  return is_dir(&e->now_state) || is_between(&e->now, &e->now_state, open_node(undone, e->parent), e->name);
}

int same_node(const struct id *now, uint32_t node) {
  return node && (same_id(now, &undone->nodes[node].id) || (undone->nodes[node].at_name && same_id(now, &undone->nodes[node].is)));
}

static int same_but_names(const struct state *a, const struct state *b) {
  return a->size == b->size && a->mode == b->mode && a->uid == b->uid && a->gid == b->gid && a->mtime == b->mtime && a->mtime_ns == b->mtime_ns;
}

/* Whether the attributes are those at the end of the action. If this undo was interrupted at the node: whether each
 * attribute is an old or a wanted one. */
static int same_attributes(const struct node *n, int fd, const char *name) {
  const struct node *k = keeping ? &keeping->nodes[find_node(keeping, &n->is)] : NULL;
  if (k && k->attributes) return !attributes_beyond(undone, fd, name, n, k);
  return !n->end_attributes || !attributes_differ(undone, fd, name, n->end_attributes, n->end_attributes_size);
}

/* Whether only other names of the file were added, removed or moved, which changes its time. The file existed before
 * the action, so nothing is lost with one of its names. */
static int only_names_changed(const struct entry *e) {
  const uint32_t known = same_id(&e->now, &e->end) ? find_node(undone, &e->now) : 0;
  if (!known || made_by_action(&undone->nodes[known]) || (e->now_state.links < 2 && e->end_state.links < 2)) return 0;
  return same_but_names(&e->now_state, &e->end_state) && same_attributes(&undone->nodes[known], open_node(undone, e->parent), e->name);
}

/* Whether somebody else changed what the name stands for since the action ended. */
int name_changed(const struct entry *e) {
  struct id at = e->now;
  if (!(e->flags & FINAL) || name_is_between(e)) return 0;
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
  return !is_between(&e->now, &e->now_state, open_node(undone, e->parent), e->name);
}

/* Whether somebody has written to the file by a name that the action never used, which our link to the file shows.
 * Added or removed names are no such change. */
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
  if (unchanged(&id, &now, &n->id, end) || unchanged(&id, &now, &n->id, &n->was) || is_between(&id, &now, fd, name)) return 0;
  return (fd == undone->links && now.links == end->links) || !same_but_names(&now, end) || !same_attributes(n, fd, name);
}


int node_changed(const struct node *n) {
  if (!(n->flags & FINAL) || (n->at_name ? is_dir(&n->now) : is_dir(&n->was))) return 0;
  if (!n->at_name) return changed_by_another_name(n);
  /* A part of the action may have been undone before. */
  if (unchanged(&n->is, &n->now, &n->id, &n->end) || unchanged(&n->is, &n->now, &n->id, &n->was)) return 0;
  /* A name of the file that was added, removed or moved is no change of its content. */
  const int has_names = n->flags & BY_OTHER || n->now.links > 1 || n->end.links > 1;
  if (has_names && n->end.mode && same_but_names(&n->now, &n->end) && same_attributes(n, open_node(undone, n->at_parent), n->at_name)) return 0;
  return !is_between(&n->is, &n->now, open_node(undone, n->at_parent), n->at_name);
}

/* Whether names in the directory were added or removed. An undo does that itself, so once it has begun, the
 * directory's time tells its changes from those of others. */
int directory_changed(const struct node *n) {
  if (!n->at_name || !is_dir(&n->now)) return 0;
  const uint32_t held = resumes() ? find_node(keeping, &n->is) : 0;
  const int is_ours = held || (resumes() && !same_id(&n->is, &n->id)); /* or made again by this undo */
  return is_ours ? !is_time_of_ours(&n->now, n, &keeping->nodes[held]) : n->flags & FINAL && !is_time(&n->now, &n->end);
}

/* Marks what others changed in the undo's own store, so that the undo does not take their changes for its own. */
void mark_late(void) {
  struct id trash;
  if (!resumes() || look(keeping->trash, "", 0, &trash, NULL)) return;
  locate(keeping);
  for (uint32_t i = 1; i <= keeping->entry_count; i++) {
    struct entry *e = &keeping->entries[i];
    const struct node *was = &keeping->nodes[e->node];
    if (!e->now.ino || same_id(&keeping->nodes[e->parent].id, &trash) || S_ISDIR(e->now_state.mode)) continue;
    if (is_between(&e->now, &e->now_state, open_node(keeping, e->parent), e->name)) continue;
    if (!e->node || !unchanged(&e->now, &e->now_state, &was->id, &was->was)) e->flags |= LATE;
  }
  for (uint32_t i = 1; i <= keeping->node_count; i++) {
    struct node *n = &keeping->nodes[i];
    if (!n->at_name) continue;
    if (S_ISDIR(n->now.mode)) mark_late_directory(n);
    else if (is_between(&n->is, &n->now, open_node(keeping, n->at_parent), n->at_name)) continue;
    else if (!unchanged(&n->is, &n->now, &n->id, &n->was)) n->flags |= LATE;
  }
}

static struct other {
  struct id id;
  const char *name; /* NULL: the inode itself */
} *others;
static uint32_t other_count;

int take_other(struct store *s, const struct record *r, const char *text, uint32_t size) {
  if (!others && !(others = arena(sizeof *others * (uint64_t)MAX_OTHERS))) return -1;
  if (other_count == MAX_OTHERS) return errno = E2BIG, -1;
  others[other_count++] = (struct other){r->a, size ? keep_text(s, text, size) : NULL};
  return 0;
}

void recall_others(void) {
  for (uint32_t i = 0; i < other_count; i++) {
    const uint32_t n = find_node(undone, &others[i].id), e = n && others[i].name ? find_entry(undone, n, others[i].name) : 0;
    if (e) undone->entries[e].flags |= BLOCKED;
    else if (n && !others[i].name) undone->nodes[n].flags |= BLOCKED;
  }
}

int note_others(void) {
  if (!keeping) return 0;
  int failed = 0;
  keeping->gathers = 1;
  for (uint32_t i = 1; i <= undone->entry_count && !failed; i++) {
    const struct entry *e = &undone->entries[i];
    if (!(e->flags & BLOCKED) || e->flags & TIED) continue;
    failed = store_write(keeping, R_OTHERS, 0, &undone->nodes[e->parent].id, NULL, NULL, e->name, (uint32_t)strlen(e->name));
  }
  for (uint32_t i = 1; i <= undone->node_count && !failed; i++)
    if (undone->nodes[i].flags & BLOCKED) failed = store_write(keeping, R_OTHERS, 0, &undone->nodes[i].id, NULL, NULL, NULL, 0);
  failed = failed || store_flush(keeping);
  keeping->gathers = 0;
  return failed ? -1 : 0;
}
