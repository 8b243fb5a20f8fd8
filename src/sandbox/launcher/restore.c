/*
 * Puts names and inodes back to what they were when the action first touched them.
 *
 * Names come back from the top down, then contents and states, then what the action made goes from the bottom up.
 * Each step keeps in a store of its own what it replaces, so it can be taken back, and replaces in one call, so that a
 * path is always what it was or what it is to be. Whoever begins again after a crash finds steps that are already
 * done. What somebody changed since the end of the action is left alone and told.
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
static char out[1 << 15];
static uint64_t out_used;

static void flush(void) {
  uint64_t at = 0;
  for (ssize_t n; at < out_used && (n = write(1, out + at, out_used - at)) > 0;) at += (uint64_t)n;
  out_used = 0;
}

static void put(const char *text) {
  uint64_t n = strlen(text) + 1;
  if (out_used + n > sizeof out) flush();
  if (n > sizeof out) return;
  memcpy(out + out_used, text, n);
  out_used += n;
}

static void say(const char *verb, uint32_t parent, const char *name, const char *more) {
  static char path[1 << 14];
  path_of(undone, parent, name, path, sizeof path);
  put(verb);
  put(path);
  put(more);
}

void refuse(uint32_t parent, const char *name, const char *why) {
  say("refused", parent, name, why);
  unfinished++;
}

static void refuse_node(struct node *n, const char *why) {
  n->flags |= REFUSED;
  refuse(n->at_parent, n->at_name, why);
}

static void copy_name(const struct node *n, char to[24]) {
  char number[12];
  if (!(n->flags & COPIED) || (n->flags & BLOCKED && !n->at_name)) {
    if (n->link) snprintf(to, 24, "l/%s", decimal(n->link, number));
    else *to = 0;
  } else if (n->copy) snprintf(to, 24, "c/%s", decimal(n->copy, number));
  else snprintf(to, 24, "empty");
}

static int is_dir(const struct state *s) { return S_ISDIR(s->mode); }
static int made_by_action(const struct node *n) { return n->id.born > undone->started; }

/* It can't go back to where it was: it stays at the name that the action gave it. */
static void strand(const struct entry *e, const char *why) {
  undone->nodes[e->node].flags |= REFUSED;
  refuse(e->parent, e->name, why);
}

static int is_stranded(const struct entry *e, const struct id *now) {
  const struct node *n = &undone->nodes[find_node(undone, now)];
  return n->flags & REFUSED && n->at_name && n->at_parent == e->parent && !strcmp(n->at_name, e->name);
}

static void place(struct entry *e) {
  struct id now;
  struct state state;
  char source[24], where[1 << 14];
  struct node *n = &undone->nodes[e->node];
  if (e->flags & LEFT) return;
  if (!keeping) {
    if (e->now.ino && undone->nodes[e->parent].at_name && same_node(&e->now, e->node)) return;
    copy_name(n, source);
    if (e->flags & BLOCKED) refuse(e->parent, e->name, why_left(e));
    else if (!*source && !n->at_name && S_ISREG(n->was.mode)) refuse(e->parent, e->name, GONE);
    else if (stands_elsewhere(undone, n, where, sizeof where)) {
      say("moved", e->parent, e->name, where);
      if (e->now.ino) say("replaced", e->parent, e->name, ""); /* what has its name since */
    }
    else say(is_dir(&n->was) ? "directory" : n->at_name ? "moved" : e->now.ino ? "replaced" : "deleted", e->parent, e->name, source);
    if (!(e->flags & BLOCKED) && n->flags & BLOCKED && !n->at_name) refuse(e->parent, e->name, "its content was changed since, by another name");
    return;
  }
  int fd = ease(e->parent);
  if (fd < 0) return strand(e, NOT_THERE);
  int occupied = look(fd, e->name, 0, &now, &state) == 0;
  if (occupied && same_node(&now, e->node)) {
    n->at_parent = e->parent; /* of its names the one that stays */
    n->at_name = e->name;
    return;
  }
  if (e->flags & BLOCKED) return refuse(e->parent, e->name, why_left(e));
  if (keep_name(keeping, fd, e->name, NULL) || (is_dir(&n->was) ? place_directory(e, fd, &state, &now, occupied) : place_file(e, fd, &state, &now, occupied)))
    return strand(e, errno == ENODATA ? GONE : strerror(errno));
  if (occupied && !is_dir(&state)) given_way(&now, e);
  settled(e->node, e->parent, e->name, fd);
  say("put-back", e->parent, e->name, "");
}

/* One name of several goes: where the inode is known to live on, that is enough to find it again. */
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

/* Directories that are not empty yet, and names that went: what stands in a directory may go behind it. */
static uint32_t deferred, removed;
static int last_pass;

static void remove_made(struct entry *e) {
  struct id now;
  struct state state;
  struct node *parent = &undone->nodes[e->parent];
  if (!parent->at_name || e->flags & LEFT) return;
  if (!keeping) {
    uint32_t known = e->now.ino ? find_node(undone, &e->now) : 0;
    if (!e->now.ino || (known && !made_by_action(&undone->nodes[known]) && !(e->flags & TIED))) return;
    if (e->flags & BLOCKED) refuse(e->parent, e->name, why_left(e));
    else say("created", e->parent, e->name, is_dir(&e->now_state) ? "directory" : "");
    return;
  }
  int fd = ease(e->parent);
  if (fd < 0 || look(fd, e->name, 0, &now, &state)) return;
  if (e->flags & BLOCKED) return refuse(e->parent, e->name, why_left(e));
  if (is_stranded(e, &now)) return refuse(e->parent, e->name, "it could not go back to its place");
  int keeps = keep_name(keeping, fd, e->name, NULL) || (!is_dir(&state) && keep_other(e, fd, &now));
  if (!keeps && is_dir(&state) && !last_pass && syscall(SYS_unlinkat, fd, e->name, AT_REMOVEDIR) && errno == ENOTEMPTY) {
    deferred++;
    return;
  }
  if (!keeps && is_dir(&state) && look(fd, e->name, 0, &now, NULL)) {
    removed++;
    say("removed", e->parent, e->name, "");
    return;
  }
  if (keeps ||
      syscall(SYS_unlinkat, fd, e->name, is_dir(&state) ? AT_REMOVEDIR : 0))
    return refuse(e->parent, e->name, errno == ENOTEMPTY ? "holds what is not of this action" : strerror(errno));
  given_way(&now, e);
  removed++;
  say("removed", e->parent, e->name, "");
}

static int set_time(int fd, const struct state *was) {
  char path[40];
  int64_t times[4] = {0, (1 << 30) - 2 /* UTIME_OMIT */, was->mtime, was->mtime_ns};
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return (int)syscall(SYS_utimensat, AT_FDCWD, path, times, 0);
}

/* Its owner writes to a file that is read-only as well; its mode comes back with its state. */
static int open_up(int fd, const char *name) {
  struct id id;
  struct state now;
  char path[40 + NAME_BYTES];
  if (look(fd, name, 0, &id, &now)) return -1;
  if ((now.mode & 0600) == 0600 || geteuid() == 0 || now.uid != geteuid()) return 0;
  if (keep_state(keeping, fd, name, STATUS)) return -1;
  snprintf(path, sizeof path, "/proc/self/fd/%d/%s", fd, name);
  return (int)syscall(SYS_fchmodat, AT_FDCWD, path, (now.mode & 07777) | 0600);
}

/* Its name has given way, and it lives on under one that the action never came near: there is our link to it. */
static int by_our_link(const struct node *n, char number[12], const char **name) {
  struct id id;
  struct state now;
  uint32_t held = keeping ? find_node(keeping, &n->is) : 0;
  if (!held || !keeping->nodes[held].link) return -1;
  *name = decimal(keeping->nodes[held].link, number);
  return look(keeping->links, *name, 0, &id, &now) || !same_id(&id, &n->is) || now.links < 2 ? -1 : keeping->links;
}

static void restore_elsewhere(struct node *n) {
  char number[12], path[2 * NAME_BYTES];
  const char *name;
  int fd = by_our_link(n, number, &name);
  if (fd < 0 || n->flags & (MADE | BLOCKED | LEFT) || made_by_action(n)) return;
  int failed = n->flags & COPIED && (open_up(fd, name) || keep_content(keeping, fd, name) || fill_in_place(undone, n, fd, name));
  if (failed || keep_state(keeping, fd, name, n->attributes ? XATTRS : STATUS) || apply_state(fd, name, n)) {
    snprintf(path, sizeof path, "%s (another name of it)", n->name ? n->name : "");
    refuse(n->parent, path, strerror(errno));
  }
}

static void restore_content(struct node *n) {
  char source[24], number[12];
  struct id id;
  struct state now;
  if (!(n->flags & COPIED) || !n->at_name || !S_ISREG(n->was.mode)) return;
  if (n->flags & (MADE | LEFT)) return;
  copy_name(n, source);
  if (same_time(&n->now, &n->was) ? !keeping : unchanged(&n->is, &n->now, &n->id, &n->was)) return; /* not written, or back */
  if (n->flags & BLOCKED) return refuse_node(n, "changed since");
  if (!keeping) {
    if (!(n->flags & PLACED)) say("changed", n->at_parent, n->at_name, source);
    return;
  }
  int fd = ease(n->at_parent), failed;
  if (fd < 0 || look(fd, n->at_name, 0, &id, &now) || !same_id(&id, &n->is)) return refuse_node(n, "changed since");
  /* In its place already. */
  if (n->copy && (look(undone->copies, decimal(n->copy, number), 0, &id, NULL) || same_id(&id, &n->is))) return;
  int held = n->link && !look(undone->links, decimal(n->link, number), 0, &id, NULL);
  if (now.links - (uint32_t)held == 1) {
    const char *made = NULL;
    failed = keep_name(keeping, fd, n->at_name, NULL) || keep_inode(keeping, fd, n->at_name) || keep_state(keeping, fd, n->at_name, XATTRS) ||
             !(made = fresh_name(keeping, number));
    if (!failed && !n->attributes) { /* what the file has besides stays with it */
      uint32_t its = find_node(keeping, &n->is);
      n->attributes = its ? keeping->nodes[its].attributes : NULL;
      n->attributes_size = its ? keeping->nodes[its].attributes_size : 0;
    }
    failed = failed || make_from_copy(undone, n, keeping->trash, made) || stands_for(n, keeping->trash, made);
    if (!failed && syscall(SYS_renameat2, keeping->trash, made, fd, n->at_name, 0)) {
      failed = errno != EXDEV;
      if (!failed && !(failed = (int)syscall(SYS_unlinkat, keeping->trash, made, 0)))
        failed = open_up(fd, n->at_name) || keep_content(keeping, fd, n->at_name) || fill_in_place(undone, n, fd, n->at_name);
    } else if (!failed) settled((uint32_t)(n - undone->nodes), n->at_parent, n->at_name, fd);
  } else failed = open_up(fd, n->at_name) || keep_content(keeping, fd, n->at_name) || fill_in_place(undone, n, fd, n->at_name);
  if (failed) return refuse_node(n, strerror(errno));
  n->flags |= META | PLACED;
  say("put-back", n->at_parent, n->at_name, "");
}

/* Of a directory in which somebody has made or removed names since: those and its time are theirs, its mode is not. */
static void restore_mode(struct node *n) {
  char path[40];
  int fd = open_node(undone, (uint32_t)(n - undone->nodes));
  if (!(n->flags & META) || n->now.mode == n->was.mode) return;
  if (n->now.mode != n->end.mode) return refuse_node(n, "changed since");
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (fd < 0 || keep_state(keeping, fd, "", STATUS) || syscall(SYS_fchmodat, AT_FDCWD, path, n->was.mode & 07777)) refuse_node(n, strerror(errno));
}

static void restore_state(struct node *n) {
  struct id id;
  struct state now;
  if (!n->at_name || made_by_action(n) || n->flags & LEFT) return;
  int directory = is_dir(&n->was);
  if (!(n->flags & (META | EASED)) && !(directory && n->flags & (TOUCHED | PLACED))) return;
  if (!keeping) {
    if (!directory && !(n->flags & COPIED) && n->was.mode != n->now.mode) say("mode", n->at_parent, n->at_name, "");
    return;
  }
  if (n->flags & BLOCKED && !(n->flags & EASED)) {
    if (directory) restore_mode(n);
    else if (!(n->flags & COPIED)) refuse_node(n, "changed since");
    return;
  }
  int fd = directory ? open_node(undone, (uint32_t)(n - undone->nodes)) : open_node(undone, n->at_parent);
  const char *name = directory ? "" : n->at_name;
  if (fd < 0 || look(fd, name, 0, &id, &now)) return refuse_node(n, "it is not there");
  if (!same_id(&id, &n->is)) return; /* it gave way to what was there before */
  if (keep_state(keeping, fd, name, n->attributes ? XATTRS : STATUS)) return refuse_node(n, strerror(errno));
  if (apply_state(fd, name, n)) {
    /* A directory of somebody else's, /tmp mostly: its time is not ours to set. */
    if (directory && errno == EPERM && now.uid != geteuid()) return;
    return refuse_node(n, strerror(errno));
  }
  n->flags |= PLACED;
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

/* What is in a directory before the directory: the later one was come upon, the deeper it lies. */
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

/* What is back is what it was: an earlier action may then be undone as well. Its link in the store is no more needed. */
static void tell_equal(struct node *n) {
  struct id id;
  struct state now;
  char number[12];
  /* What was left as somebody made it is not what it was. */
  if (!(n->flags & (PLACED | COPIED | META)) || n->flags & (BLOCKED | LEFT | REFUSED) || !n->at_name) return;
  int fd = open_node(undone, n->at_parent);
  if (!n->at_parent || fd < 0) return;
  if (n->link && n->flags & PLACED) syscall(SYS_unlinkat, undone->links, decimal(n->link, number), 0);
  if (n->copy && !look(undone->copies, decimal(n->copy, number), 0, &id, NULL) && same_id(&id, &n->is))
    syscall(SYS_unlinkat, undone->copies, decimal(n->copy, number), 0);
  uint32_t held = find_node(keeping, &n->is);
  if (held && keeping->nodes[held].link) syscall(SYS_unlinkat, keeping->links, decimal(keeping->nodes[held].link, number), 0);
  if (look(fd, n->at_name, 0, &id, &now)) return;
  equals_add(keeping, &id, &now, &n->id, &n->was);
}

/* What its owner has closed is opened for as long as the undo lasts, one level after the other. */
static void open_closed(void) {
  for (int opened = keeping && geteuid() ? 1 : 0; opened;) {
    opened = 0;
    for (uint32_t i = 1; i <= undone->node_count; i++)
      if (undone->nodes[i].flags & CLOSED && undone->nodes[i].at_name && !(undone->nodes[i].flags & EASED) && ease(i) >= 0) opened = 1;
    if (opened) locate(undone);
  }
}

int restore(struct store *from, struct store *into, char *const *only, int only_count) {
  undone = from;
  keeping = into;
  if (keeping) undone->elsewhere = make_part(keeping, &keeping->trash) ? -1 : keeping->trash;
  locate(undone);
  open_closed();
  if (only_count && leave_all_but(only, only_count)) return 1;
  for (uint32_t i = 1; i <= undone->entry_count; i++)
    if (name_changed(&undone->entries[i])) undone->entries[i].flags |= BLOCKED;
  if (tie_names()) return 1;
  for (uint32_t i = 1; i <= undone->node_count; i++) {
    struct node *n = &undone->nodes[i];
    int moved_on = n->at_name && is_dir(&n->now) && n->flags & FINAL && (n->now.mtime != n->end.mtime || n->now.mtime_ns != n->end.mtime_ns || n->now.mode != n->end.mode);
    if (node_changed(n) || (moved_on && !(keeping && find_node(keeping, &n->is)))) n->flags |= BLOCKED;
  }
  if (keeping && keeping->resumes) remember_changed();
  tell_gone();
  by_depth();
  /* Before a name goes by which an inode is known that has others. */
  for (uint32_t i = 1; i <= undone->node_count; i++) restore_content(&undone->nodes[i]);
  for (uint32_t i = 1; i <= undone->node_count; i++)
    if (!is_dir(&undone->nodes[i].was)) restore_state(&undone->nodes[i]);
  for (uint32_t i = 1; i <= undone->node_count; i++) {
    struct node *n = &undone->nodes[i];
    if (!n->at_name && !is_dir(&n->was) && n->flags & (COPIED | META)) restore_elsewhere(n);
  }
  remove_all();
  for (uint32_t i = 1; i <= undone->node_count; i++)
    if (is_dir(&undone->nodes[i].was)) restore_state(&undone->nodes[i]);
  /* Where the action wrote to files and not to their directory, our replacing them was no change of it. */
  for (uint32_t i = 1; keeping && i <= undone->node_count; i++) {
    const struct node *n = &undone->nodes[i];
    uint32_t its = is_dir(&n->was) && n->at_name && !(n->flags & (TOUCHED | META | EASED)) ? find_node(keeping, &n->is) : 0;
    if (its && keeping->nodes[its].flags & TOUCHED && open_node(undone, i) >= 0) set_time(open_node(undone, i), &keeping->nodes[its].was);
  }
  for (uint32_t i = 1; i <= undone->node_count; i++) {
    const struct node *n = &undone->nodes[i];
    if (n->flags & BARE && n->at_name) refuse(n->at_parent, n->at_name, "its access list, or another attribute, can't be set; the rest is back");
  }
  for (uint32_t i = 1; keeping && i <= undone->node_count; i++) tell_equal(&undone->nodes[i]);
  if (keeping) tighten();
  flush();
  return unfinished;
}
