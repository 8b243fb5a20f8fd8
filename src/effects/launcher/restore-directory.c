/*
 * Directories. A new or removed name sets a directory's time; its mode, owner and attributes are set by calls of their
 * own. So the two are told apart: what somebody set since the action stays and is reported, and the time stays if
 * others added or removed names.
 */
#include "restore.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EASE = 0700 };

int differs(const struct state *a, const struct state *b) { return a->mode != b->mode || a->uid != b->uid || a->gid != b->gid; }

/* Whether the action set anything of the directory itself. If it only made names in it, only the time is restored. */
static int is_set_by_action(const struct node *n) {
  if (!(n->flags & META) || !(n->flags & FINAL)) return n->flags & META;
  if (differs(&n->was, &n->end)) return 1;
  return n->attributes && !same_text(n->attributes, n->attributes_size, n->end_attributes, n->end_attributes_size);
}

/* Whether this undo has made the directory again, or did so before it was interrupted. */
static int is_made_anew(const struct node *n) {
  if (!keeping || same_id(&n->is, &n->id)) return 0;
  return n->flags & MADE || !n->is.born || n->is.born >= keeping->started;
}

/* Whether the directory is between the two states. While its names are changed, this program may write to it. */
static int is_between(const struct state *now, const struct state *a, const struct state *b) {
  if ((now->uid != a->uid && now->uid != b->uid) || (now->gid != a->gid && now->gid != b->gid)) return 0;
  return now->mode == a->mode || now->mode == (a->mode | EASE) || now->mode == b->mode || now->mode == (b->mode | EASE);
}

/* Whether somebody else set mode, owner or attributes since the action ended. */
static int is_set_since(const struct node *n, int fd) {
  const struct state *end = &n->end;
  const struct state fresh = {.mode = S_IFDIR | EASE, .uid = geteuid(), .gid = (uint32_t)syscall(SYS_getegid)};
  const int is_ours = keeping && find_node(keeping, &n->is), anew = is_made_anew(n);
  if (!anew && !(n->flags & FINAL)) return 0; /* below a directory that its owner has closed: nobody could reach it */
  if (anew ? !is_between(&n->now, &fresh, &n->was) : is_ours ? !is_between(&n->now, end, &n->was) : differs(&n->now, end)) return 1;
  if (!n->attributes) return 0;
  return anew || is_ours ? attributes_beyond(undone, fd, "", n, NULL) : attributes_differ(undone, fd, "", n->end_attributes, n->end_attributes_size);
}

int is_time(const struct state *now, const struct state *then) { return now->mtime == then->mtime && now->mtime_ns == then->mtime_ns; }

int is_time_of_undo(const struct state *now) {
  return moment(now->mtime, now->mtime_ns) + CALL_NANOSECONDS >= keeping->started && !is_late_time(keeping, now->mtime, now->mtime_ns);
}

int is_time_of_ours(const struct state *now, const struct node *n, const struct node *k) {
  if (is_time(now, &k->was) || is_time(now, &n->was) || is_time(now, &n->end)) return 1;
  return is_time_of_undo(now);
}

void mark_late_directory(struct node *n) {
  const uint32_t which = node_of(undone, &n->is);
  const struct node *u = which ? &undone->nodes[which] : n;
  const int fd = open_node(keeping, (uint32_t)(n - keeping->nodes));
  if (!is_between(&n->now, &n->was, &u->was) || (n->attributes && attributes_beyond(keeping, fd, "", n, u))) n->flags |= LATE;
  if (!is_time_of_ours(&n->now, u, n)) n->flags |= LATE_TIME;
}

/* Sets in `to`, the wanted state, the current value of everything that is not restored. */
static void leave_state(struct node *to, const struct state *now) {
  const uint32_t held = find_node(keeping, &to->is);
  const struct node *k = &keeping->nodes[held];
  const int is_eased = held && k->flags & META && now->mode == (k->was.mode | EASE);
  to->was.mode = is_eased ? k->was.mode : now->mode;
  to->was.uid = now->uid;
  to->was.gid = now->gid;
  to->attributes = NULL;
}

void restore_directory(struct node *n) {
  struct id id;
  struct state now;
  struct node to = *n;
  if (!n->at_name || made_by_action(n) || n->flags & LEFT || !(n->flags & (META | EASED | TOUCHED | PLACED))) return;
  const int fd = open_node(undone, (uint32_t)(n - undone->nodes)), with_time = !(n->flags & BLOCKED);
  const int attributes = fd >= 0 && n->attributes && attributes_differ(undone, fd, "", n->attributes, n->attributes_size);
  const int state = differs(&n->now, &n->was) || attributes;
  int with_state = is_set_by_action(n) || is_made_anew(n);
  if (with_state && state && is_set_since(n, fd)) {
    refuse_node(n, why_changed(n));
    with_state = 0;
  }
  if (!keeping) {
    if (n->flags & META && ((with_state && state) || (with_time && !is_time(&n->now, &n->was)))) say("mode", n->at_parent, n->at_name, "");
    return;
  }
  if (fd < 0 || look(fd, "", 0, &id, &now)) return refuse_node(n, "it is not there");
  if (!with_state) leave_state(&to, &now);
  if (!attributes) to.attributes = NULL;
  if (!with_time) {
    to.was.mtime = n->now.mtime;
    to.was.mtime_ns = n->now.mtime_ns;
  }
  if (!differs(&now, &to.was) && is_time(&now, &to.was) && !to.attributes) return;
  const int failed = keep_state(keeping, fd, "", to.attributes ? XATTRS : STATUS) || apply_state(fd, "", &to);
  n->flags |= to.flags & BARE;
  if (!failed) n->flags |= PLACED;
  /* A directory of somebody else, mostly /tmp: this user can't set its time. */
  else if (errno != EPERM || now.uid == geteuid()) refuse_node(n, strerror(errno));
}
