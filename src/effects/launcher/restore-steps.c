/*
 * The steps of an undo, so that whoever goes on after one that was cut off tells its half steps from what others did since.
 *
 * The beginning of a step is in the journal before it is taken: the name, and the inode that comes there or is changed. How it
 * left its names and inodes stands there with the beginning of the next one. So one step at most has no end. What that one
 * touched is told by what it may be then (restore-half.c), and by its time of change. What was found to be another's before the first step is written down as well,
 * since an undo that links or moves such a file changes its time.
 */
#include "restore.h"

#include <errno.h>
#include <string.h>

enum { MOST_ENDS = 16, MAX_LEFT = 1 << 20, SLOTS = 1 << 21, MAX_OTHERS = 1 << 20 };

static struct {
  const char *name; /* NULL: an inode alone */
  struct id above, id;
  struct state state;
} ends[MOST_ENDS];
static int end_count;

/* How this undo, when it was cut, had left the inodes that it touched. */
static struct left {
  struct id id;
  struct state state;
} *lefts;
static uint32_t left_count, *slots;

static struct {
  int is_open;
  struct id id, above;
  char name[NAME_BYTES];
} last;

static struct other {
  struct id id;
  const char *name; /* NULL: the inode itself */
} *others;
static uint32_t other_count;
static int is_judged;

int begin_step(const struct id *id, uint32_t parent, const char *name) {
  int failed = 0;
  keeping->gathers = 1;
  for (int i = 0; i < end_count && !failed; i++) {
    const uint32_t size = ends[i].name ? (uint32_t)strlen(ends[i].name) : 0;
    failed = ends[i].name ? store_write(keeping, R_END_NAME, 0, &ends[i].above, &ends[i].id, &ends[i].state, ends[i].name, size)
                          : store_write(keeping, R_END_NODE, 0, &ends[i].id, NULL, &ends[i].state, NULL, 0);
  }
  end_count = 0;
  failed = failed || store_write(keeping, R_STEP, 0, id, &undone->nodes[parent].is, NULL, name, (uint32_t)strlen(name)) || store_flush(keeping);
  keeping->gathers = 0;
  return failed ? -1 : 0;
}

void name_done(uint32_t parent, const char *name) {
  const int why = errno, fd = parent == ELSEWHERE || end_count == MOST_ENDS ? -1 : open_node(undone, parent);
  if (fd >= 0) {
    ends[end_count].name = name;
    ends[end_count].above = undone->nodes[parent].is;
    if (look(fd, name, 0, &ends[end_count].id, &ends[end_count].state)) ends[end_count].id = (struct id){0, 0, 0};
    end_count++;
  }
  errno = why;
}

void inode_done(int directory, const char *name) {
  const int why = errno;
  if (end_count < MOST_ENDS && !look(directory, name, 0, &ends[end_count].id, &ends[end_count].state)) ends[end_count++].name = NULL;
  errno = why;
}

/* What a step that was cut has left, as it is found now: cut off again at the next one, it is still known. */
static void half_step_seen(const struct id *id, const struct state *state, const struct id *above, const char *name) {
  for (int i = 0; i < end_count && !name; i++)
    if (!ends[i].name && same_id(&ends[i].id, id)) return;
  if (end_count == MOST_ENDS) return;
  ends[end_count].name = name;
  if (above) ends[end_count].above = *above;
  ends[end_count].id = *id;
  ends[end_count++].state = *state;
}

static uint32_t *slot_of(const struct id *id) {
  uint32_t at = (uint32_t)((id->ino * 0x9E3779B97F4A7C15ull ^ id->born * 0xC2B2AE3D27D4EB4Full ^ id->dev) >> 20) & (SLOTS - 1);
  while (slots[at] && !same_id(&lefts[slots[at]].id, id)) at = (at + 1) & (SLOTS - 1);
  return &slots[at];
}

static int make_tables(void) {
  if (slots) return 0;
  lefts = arena(sizeof *lefts * (uint64_t)MAX_LEFT);
  others = arena(sizeof *others * (uint64_t)MAX_OTHERS);
  slots = arena(sizeof *slots * (uint64_t)SLOTS);
  return lefts && others && slots ? 0 : -1;
}

/* What has no place in the table is taken for somebody else's: the safe side. */
static void left_as(const struct id *id, const struct state *state) {
  uint32_t *slot = slot_of(id);
  if (!*slot && left_count + 1 >= MAX_LEFT) return;
  if (!*slot) *slot = ++left_count;
  lefts[*slot] = (struct left){*id, *state};
}

int take_step(struct store *s, const struct record *r, const char *text, uint32_t size) {
  if (make_tables()) return -1;
  switch (r->type) {
    case R_END_NAME:
      if (r->b.ino) left_as(&r->b, &r->s);
      last.is_open = 0;
      break;
    case R_END_NODE:
      left_as(&r->a, &r->s);
      last.is_open = 0;
      break;
    case R_STEP:
      if (size >= NAME_BYTES) break;
      last.is_open = 1;
      last.id = r->a;
      last.above = r->b;
      memcpy(last.name, text, size + 1);
      break;
    case R_OTHERS:
      if (other_count + 1 >= MAX_OTHERS) return errno = E2BIG, -1;
      others[other_count++] = (struct other){r->a, size ? keep_text(s, text, size) : NULL};
      break;
    case R_JUDGED:
      is_judged = 1;
      break;
    default:
      break;
  }
  return 0;
}

/* What comes to the name of the step that has no end, what is made in its place, or what has to give way to it. */
static int is_of_last(const struct id *id) {
  struct id older = *id;
  if (!last.is_open) return 0;
  for (int i = 0; i < 64; i++) {
    if (same_id(&older, &last.id)) return 1;
    if (!older_id(&older, &older)) break;
  }
  const uint32_t above = find_node(keeping, &last.above), e = above ? find_entry(keeping, above, last.name) : 0;
  const uint32_t stood = e ? keeping->entries[e].node : 0;
  return stood && same_id(id, &keeping->nodes[stood].id);
}

static int resumes(void) { return keeping && keeping->resumes && slots; }

int is_left(const struct id *id, const struct state *now, int directory, const char *name) {
  if (!resumes()) return 0;
  const struct left *l = &lefts[*slot_of(id)];
  if (l == lefts) l = NULL;
  if (l && same_time(&l->state, now)) return 1;
  if (!is_of_last(id) || is_late(keeping, now) || !is_half_done(id, now, l ? &l->state : NULL, directory, name)) return 0;
  half_step_seen(id, now, NULL, NULL);
  return 1;
}

int name_is_left(const struct entry *e) {
  const uint32_t above = resumes() ? find_node(keeping, &undone->nodes[e->parent].is) : 0;
  const uint32_t its = above ? find_entry(keeping, above, e->name) : 0;
  if (!its) return 0;
  const struct entry *k = &keeping->entries[its];
  const int is_end = k->flags & FINAL && same_id(&k->end, &e->now);
  const int is_last = last.is_open && same_id(&last.above, &keeping->nodes[above].id) && !strcmp(last.name, e->name);
  if (!is_end && !is_last && !(k->node && is_of_last(&keeping->nodes[k->node].id))) return 0;
  const int is_file = e->now.ino && !S_ISDIR(e->now_state.mode);
  const int left = is_file ? is_left(&e->now, &e->now_state, open_node(undone, e->parent), e->name) : is_end || !e->now.ino || is_of_last(&e->now);
  if (left && !is_end) half_step_seen(&e->now, &e->now_state, &keeping->nodes[above].id, e->name);
  return left;
}

/* In the store of the undo itself: it does not take what others changed meanwhile for its own doing. */
void mark_late(void) {
  struct id trash;
  if (!resumes() || look(keeping->trash, "", 0, &trash, NULL)) return;
  locate(keeping);
  for (uint32_t i = 1; i <= keeping->entry_count; i++) {
    struct entry *e = &keeping->entries[i];
    const struct node *was = &keeping->nodes[e->node];
    if (!e->now.ino || same_id(&keeping->nodes[e->parent].id, &trash) || S_ISDIR(e->now_state.mode)) continue;
    if (is_left(&e->now, &e->now_state, open_node(keeping, e->parent), e->name)) continue;
    if (!e->node || !unchanged(&e->now, &e->now_state, &was->id, &was->was)) e->flags |= LATE;
  }
  for (uint32_t i = 1; i <= keeping->node_count; i++) {
    struct node *n = &keeping->nodes[i];
    if (!n->at_name) continue;
    if (S_ISDIR(n->now.mode)) mark_late_directory(n);
    else if (is_left(&n->is, &n->now, open_node(keeping, n->at_parent), n->at_name)) continue;
    else if (!unchanged(&n->is, &n->now, &n->id, &n->was)) n->flags |= LATE;
  }
}

void recall_others(void) {
  for (uint32_t i = 0; i < other_count; i++) {
    const uint32_t n = find_node(undone, &others[i].id), e = n && others[i].name ? find_entry(undone, n, others[i].name) : 0;
    if (e) undone->entries[e].flags |= BLOCKED;
    else if (n && !others[i].name) undone->nodes[n].flags |= BLOCKED;
  }
}

int note_others(void) {
  if (!keeping || is_judged) return 0;
  int failed = 0;
  keeping->gathers = 1;
  for (uint32_t i = 1; i <= undone->entry_count && !failed; i++) {
    const struct entry *e = &undone->entries[i];
    if (!(e->flags & BLOCKED) || e->flags & TIED) continue;
    failed = store_write(keeping, R_OTHERS, 0, &undone->nodes[e->parent].id, NULL, NULL, e->name, (uint32_t)strlen(e->name));
  }
  for (uint32_t i = 1; i <= undone->node_count && !failed; i++)
    if (undone->nodes[i].flags & BLOCKED) failed = store_write(keeping, R_OTHERS, 0, &undone->nodes[i].id, NULL, NULL, NULL, 0);
  failed = failed || store_write(keeping, R_JUDGED, 0, NULL, NULL, NULL, NULL, 0) || store_flush(keeping);
  keeping->gathers = 0;
  return failed ? -1 : 0;
}
