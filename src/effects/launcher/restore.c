/*
 * Restores names and inodes as they were when the action first touched them.
 *
 * First names are restored from the top down, then contents and states, then files that the action made are removed
 * from the bottom up. Each step first keeps what it replaces in a store of its own, so it can be undone, and replaces
 * it in one call, so a path always has its old or its new file. After a crash another attempt finds the finished steps.
 * What somebody changed since the end of the action is left alone and reported.
 */
#include "restore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_LEVELS = 4096 };
static int unfinished;
static struct output out;

/* Moves inside the store itself are not reported to the user. */
static int is_in_store(uint32_t node) {
  for (uint32_t steps = 0; node && node != ELSEWHERE && steps < MAX_LEVELS; steps++) {
    const struct node *n = &undone->nodes[node];
    if (same_id(&n->is, &undone->guarded)) return 1;
    node = n->at_name ? n->at_parent : n->parent;
  }
  return node == ELSEWHERE;
}

void say(const char *verb, uint32_t parent, const char *name, const char *more) {
  static char path[1 << 14];
  if (strcmp(verb, "refused") && is_in_store(parent)) return;
  path_of(undone, parent, name, path, sizeof path);
  output_put(&out, verb);
  output_put(&out, path);
  output_put(&out, more);
}

void refuse(uint32_t parent, const char *name, const char *why) {
  say("refused", parent, name, why);
  unfinished++;
}

void copy_name(const struct node *n, char to[24]) {
  char number[12];
  if (!(n->flags & COPIED) || (n->flags & BLOCKED && !n->at_name)) {
    if (n->link) snprintf(to, 24, "l/%s", decimal(n->link, number));
    else *to = 0;
  } else if (n->copy) snprintf(to, 24, "c/%s", decimal(n->copy, number));
  else snprintf(to, 24, "empty");
}

static int is_dir(const struct state *s) { return S_ISDIR(s->mode); }
int made_by_action(const struct node *n) { return n->id.born > undone->started; }

/* The file can't get its old name, so it stays at the name that the action gave it. */
static void strand(const struct entry *e, const char *why) {
  undone->nodes[e->node].flags |= REFUSED;
  refuse(e->parent, e->name, why);
}

static int is_stranded(const struct entry *e, const struct id *now) {
  const struct node *n = &undone->nodes[find_node(undone, now)];
  return n->flags & REFUSED && n->at_name && n->at_parent == e->parent && !strcmp(n->at_name, e->name);
}

static void place(struct entry *e) {
  char source[24], where[1 << 14];
  struct node *n = &undone->nodes[e->node];
  if (e->flags & LEFT) return;
  if (!keeping) {
    if (e->now.ino && undone->nodes[e->parent].at_name && same_node(&e->now, e->node)) return;
    copy_name(n, source);
    if (e->flags & BLOCKED) refuse(e->parent, e->name, why_left(e));
    else if (!*source && !n->at_name && S_ISREG(n->was.mode)) refuse(e->parent, e->name, FILE_GONE);
    else if (stands_elsewhere(undone, n, where, sizeof where)) {
      say("moved", e->parent, e->name, where);
      if (e->now.ino) say("replaced", e->parent, e->name, ""); /* the file that has the name now */
    }
    else say(is_dir(&n->was) ? "directory" : n->at_name ? "moved" : e->now.ino ? "replaced" : "deleted", e->parent, e->name, source);
    if (!(e->flags & BLOCKED) && n->flags & BLOCKED && !n->at_name) refuse(e->parent, e->name, "its content was changed since, by another name");
    return;
  }
  struct spot to = {.parent = e->parent, .name = e->name, .fd = ease(e->parent)};
  if (to.fd < 0) return strand(e, NOT_THERE);
  to.occupied = look(to.fd, to.name, 0, &to.id, &to.state) == 0;
  if (to.occupied && same_node(&to.id, e->node)) {
    n->at_parent = e->parent; /* of the file's names the one that stays */
    n->at_name = e->name;
    if (keeping->resumes && !same_id(&e->end, &to.id)) n->flags |= PLACED; /* by an interrupted attempt */
    return;
  }
  if (e->flags & BLOCKED) return refuse(e->parent, e->name, why_left(e));
  step();
  if (move(e->node, &to)) return strand(e, errno == ENODATA ? FILE_GONE : strerror(errno));
  if (to.occupied && !is_dir(&to.state)) given_way(&to.id, e);
  settled(e->node, e->parent, e->name, to.fd);
  say("put-back", e->parent, e->name, "");
}

/* One of several names is removed: if the inode is known to exist under another name, that is enough to find it
 * again. */
static int keep_other(const struct entry *e, int fd, const struct id *now) {
  uint32_t n = find_node(undone, now);
  const struct node *other = &undone->nodes[n];
  if (!n || !other->at_name || other->at_parent == ELSEWHERE || (other->at_parent == e->parent && !strcmp(other->at_name, e->name)))
    return keep_inode(keeping, fd, e->name);
  int there = open_node(undone, other->at_parent);
  struct id id;
  if (there < 0 || look(there, other->at_name, 0, &id, NULL) || !same_id(&id, now)) return keep_inode(keeping, fd, e->name);
  return keep_state(keeping, there, other->at_name, STATUS);
}

/* Directories that were not empty yet, and names that were removed: a directory may be emptied by a later removal. */
static uint32_t deferred, removed;
static int last_pass;

static int take_out(const struct entry *e, int fd, const struct id *now, int directory) {
  step();
  if (keep_name(keeping, fd, e->name, NULL)) return -1;
  if (!directory && keep_other(e, fd, now)) return -1;
  return (int)syscall(SYS_unlinkat, fd, e->name, directory ? AT_REMOVEDIR : 0);
}

static void remove_made(struct entry *e) {
  struct id now;
  struct state state;
  struct node *parent = &undone->nodes[e->parent];
  if (!parent->at_name || e->flags & LEFT) return;
  if (!keeping) {
    uint32_t known = e->now.ino ? find_node(undone, &e->now) : 0;
    if (!e->now.ino || (known && !made_by_action(&undone->nodes[known]) && !(e->flags & BLOCKED))) return;
    if (e->flags & BLOCKED) refuse(e->parent, e->name, why_left(e));
    else say("created", e->parent, e->name, is_dir(&e->now_state) ? "directory" : "");
    return;
  }
  int fd = ease(e->parent);
  if (fd < 0 || look(fd, e->name, 0, &now, &state)) return;
  const uint32_t held = is_dir(&state) ? find_node(keeping, &now) : 0;
  if (e->flags & BLOCKED || keeping->nodes[held].flags & LATE) return refuse(e->parent, e->name, why_left(e));
  if (is_stranded(e, &now)) return refuse(e->parent, e->name, "it could not go back to its place");
  const int failed = take_out(e, fd, &now, is_dir(&state)), why = errno;
  if (failed && is_dir(&state) && why == ENOTEMPTY && !last_pass) {
    deferred++;
    return;
  }
  if (failed) return refuse(e->parent, e->name, why == ENOTEMPTY ? "holds what is not of this action" : strerror(why));
  if (!is_dir(&state)) given_way(&now, e);
  removed++;
  say("removed", e->parent, e->name, "");
}

static int set_time(int fd, const struct state *was) {
  char path[FD_PATH];
  int64_t times[4] = {0, (1 << 30) - 2 /* UTIME_OMIT */, was->mtime, was->mtime_ns};
  path_in(fd, "", path);
  return (int)syscall(SYS_utimensat, AT_FDCWD, path, times, 0);
}

static uint32_t depth_of(uint32_t node) {
  uint32_t depth = 0;
  for (; undone->nodes[node].parent && depth < MAX_LEVELS - 1; node = undone->nodes[node].parent) depth++;
  return depth;
}

static void by_depth(void) {
  static uint32_t first[MAX_LEVELS];
  uint32_t *next = arena(sizeof *next * (undone->entry_count + 2ull));
  if (!next) return;
  for (uint32_t i = undone->entry_count; i; i--) {
    if (!undone->entries[i].node) continue;
    uint32_t depth = depth_of(undone->entries[i].parent);
    next[i] = first[depth];
    first[depth] = i;
  }
  for (uint32_t depth = 0; depth < MAX_LEVELS; depth++)
    for (uint32_t i = first[depth]; i; i = next[i]) place(&undone->entries[i]);
}

/* The contents of a directory before the directory itself: what was found later is deeper. */
static void remove_all(void) {
  uint32_t *next = arena(sizeof *next * (undone->entry_count + 2ull)), *first = arena(sizeof *first * (undone->node_count + 2ull));
  if (!next || !first) return;
  for (uint32_t i = 1; i <= undone->entry_count; i++) {
    uint32_t order = undone->nodes[undone->entries[i].parent].order;
    if (undone->entries[i].node) continue;
    next[i] = first[order];
    first[order] = i;
  }
  do {
    last_pass = !keeping || (deferred && !removed);
    deferred = removed = 0;
    for (uint32_t order = undone->node_count; order; order--)
      for (uint32_t i = first[order]; i; i = next[i]) remove_made(&undone->entries[i]);
  } while (deferred);
}

/* Records a restored file as equal to the old one, so that an earlier action can be undone too. Its link in the
 * store is no longer needed. */
static void tell_equal(struct node *n) {
  struct id id;
  struct state now;
  char number[12];
  /* A file that was left as somebody changed it is not equal to the old one. */
  if (!(n->flags & (PLACED | COPIED | META)) || n->flags & (BLOCKED | LEFT | REFUSED) || !n->at_name) return;
  int fd = open_node(undone, n->at_parent);
  if (!n->at_parent || fd < 0) return;
  const uint32_t held = find_node(keeping, &n->is), own = held ? keeping->nodes[held].link : 0;
  step();
  if (n->link && n->flags & PLACED) syscall(SYS_unlinkat, undone->links, decimal(n->link, number), 0);
  if (n->copy && !look(undone->copies, decimal(n->copy, number), 0, &id, NULL) && same_id(&id, &n->is))
    syscall(SYS_unlinkat, undone->copies, decimal(n->copy, number), 0);
  if (own) syscall(SYS_unlinkat, keeping->links, decimal(own, number), 0);
  if (look(fd, n->at_name, 0, &id, &now)) return;
  equals_add(keeping, &id, &now, &n->id, &n->was);
}

/* Opens directories that their owner has closed for the duration of the undo, one level after the other. */
static void open_closed(void) {
  for (int opened = keeping && geteuid() ? 1 : 0; opened;) {
    opened = 0;
    for (uint32_t i = 1; i <= undone->node_count; i++)
      if (undone->nodes[i].flags & CLOSED && undone->nodes[i].at_name && !(undone->nodes[i].flags & EASED) && ease(i) >= 0) opened = 1;
    if (opened) locate(undone);
  }
}

/* Marks what is left alone, since somebody else has changed it. */
static int judge(void) {
  recall_others();
  for (uint32_t i = 1; i <= undone->entry_count; i++)
    if (name_changed(&undone->entries[i])) undone->entries[i].flags |= BLOCKED;
  if (tie_names()) return -1;
  for (uint32_t i = 1; i <= undone->node_count; i++)
    if (node_changed(&undone->nodes[i]) || directory_changed(&undone->nodes[i])) undone->nodes[i].flags |= BLOCKED;
  return note_others();
}

/* Removes what an interrupted attempt linked or made on the way to a name. The only link of a file stays. */
static void drop_unplaced(void) {
  struct id id;
  struct state state;
  struct listing names;
  struct listed one;
  if (listing_open(&names, openat(keeping->trash, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))) return;
  while (listing_next(&names, &one))
    if (!look(keeping->trash, one.name, 0, &id, &state) && !is_dir(&state) && state.links > 1)
      syscall(SYS_unlinkat, keeping->trash, one.name, 0);
  listing_close(&names);
  locate(keeping);
  for (uint32_t i = 1; i <= keeping->entry_count; i++) {
    const struct entry *e = &keeping->entries[i];
    const uint32_t above = find_node(undone, &keeping->nodes[e->parent].id);
    const int fd = e->node || strncmp(e->name, NEAR, sizeof NEAR - 1) ? -1 : open_node(keeping, e->parent);
    if (fd < 0 || !syscall(SYS_unlinkat, fd, e->name, 0) || !syscall(SYS_unlinkat, fd, e->name, AT_REMOVEDIR)) continue;
    if (errno == ENOTEMPTY && above) add_entry(undone, above, e->name, 0); /* removed later */
  }
}

int restore(struct store *from, struct store *into, char *const *only, int only_count) {
  undone = from;
  keeping = into;
  if (keeping) undone->elsewhere = make_part(keeping, &keeping->trash) ? -1 : keeping->trash;
  if (keeping && keeping->resumes) drop_unplaced();
  mark_late();
  locate(undone);
  open_closed();
  if (keeping && keeping->resumes) locate_elsewhere(undone);
  if (only_count && leave_all_but(only, only_count)) return 1;
  if (judge()) return 1;
  tell_gone();
  if (!only_count) tell_other_names();
  by_depth();
  /* Contents come before the removal of names by which inodes with other names are found. */
  for (uint32_t i = 1; i <= undone->node_count; i++) restore_content(&undone->nodes[i]);
  for (uint32_t i = 1; i <= undone->node_count; i++)
    if (!is_dir(&undone->nodes[i].was)) restore_state(&undone->nodes[i]);
  for (uint32_t i = 1; i <= undone->node_count; i++) {
    struct node *n = &undone->nodes[i];
    if (!n->at_name && !is_dir(&n->was) && n->flags & (COPIED | META)) restore_elsewhere(n);
  }
  remove_all();
  for (uint32_t i = 1; i <= undone->node_count; i++)
    if (is_dir(&undone->nodes[i].was)) restore_directory(&undone->nodes[i]);
  /* Where the action wrote to files and not to their directory, replacing them must not change the directory's time. */
  for (uint32_t i = 1; keeping && i <= undone->node_count; i++) {
    const struct node *n = &undone->nodes[i];
    uint32_t its = is_dir(&n->was) && n->at_name && !(n->flags & (TOUCHED | META | EASED | BLOCKED)) ? find_node(keeping, &n->is) : 0;
    if (its && keeping->nodes[its].flags & TOUCHED && open_node(undone, i) >= 0) set_time(open_node(undone, i), &keeping->nodes[its].was);
  }
  for (uint32_t i = 1; i <= undone->node_count; i++) {
    const struct node *n = &undone->nodes[i];
    if (n->flags & BARE && n->at_name) refuse(n->at_parent, n->at_name, "its access list, or another attribute, can't be set; the rest is back");
  }
  for (uint32_t i = 1; keeping && i <= undone->node_count; i++) tell_equal(&undone->nodes[i]);
  if (keeping) tighten();
  output_flush(&out);
  return unfinished;
}
