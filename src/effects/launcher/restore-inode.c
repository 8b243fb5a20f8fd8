/* Restores contents and states of inodes, whatever their names are. */
#include "restore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void refuse_node(struct node *n, const char *why) {
  n->flags |= REFUSED;
  refuse(n->at_parent, n->at_name, why);
}

/* Makes a read-only file writable for its owner; its mode is restored with its state. */
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

/* The file's known name was replaced, and the file still exists under a name that the action never used; our link
 * leads to it. */
int by_our_link(const struct node *n, char number[12], const char **name) {
  struct id id;
  struct state now;
  uint32_t held = keeping ? find_node(keeping, &n->is) : 0;
  if (!held || !keeping->nodes[held].link) return -1;
  *name = decimal(keeping->nodes[held].link, number);
  return look(keeping->links, *name, 0, &id, &now) || !same_id(&id, &n->is) || now.links < 2 ? -1 : keeping->links;
}

void restore_elsewhere(struct node *n) {
  char number[12], path[2 * NAME_BYTES];
  const char *name;
  int fd = by_our_link(n, number, &name);
  if (fd < 0 || n->flags & (MADE | LEFT) || made_by_action(n)) return;
  snprintf(path, sizeof path, "%s (another name of it)", n->name ? n->name : "");
  if (n->flags & BLOCKED) return refuse(n->parent, path, why_changed(n));
  step();
  int failed = n->flags & COPIED && (open_up(fd, name) || keep_content(keeping, fd, name) || fill_in_place(n, fd, name));
  failed = failed || keep_state(keeping, fd, name, n->attributes ? XATTRS : STATUS) || apply_state(fd, name, n);
  if (failed) refuse(n->parent, path, strerror(errno));
}

void restore_content(struct node *n) {
  char source[24], number[12];
  struct id id;
  if (!(n->flags & COPIED) || !n->at_name || !S_ISREG(n->was.mode)) return;
  if (n->flags & (MADE | LEFT)) return;
  copy_name(n, source);
  if (same_time(&n->now, &n->was) ? !keeping : unchanged(&n->is, &n->now, &n->id, &n->was)) return; /* nothing to restore */
  if (n->flags & BLOCKED) return refuse_node(n, why_changed(n));
  if (!keeping) {
    if (!(n->flags & PLACED)) say("changed", n->at_parent, n->at_name, source);
    return;
  }
  struct spot at = {.parent = n->at_parent, .name = n->at_name, .fd = ease(n->at_parent), .occupied = 1};
  if (at.fd < 0 || look(at.fd, at.name, 0, &at.id, &at.state) || !same_id(&at.id, &n->is)) return refuse_node(n, "changed since");
  /* The copy itself is in its place already. */
  if (n->copy && (look(undone->copies, decimal(n->copy, number), 0, &id, NULL) || same_id(&id, &n->is))) return;
  const int held = n->link && !look(undone->links, decimal(n->link, number), 0, &id, NULL);
  step();
  int failed = 1, in_place = at.state.links - (uint32_t)held > 1;
  if (!in_place) {
    failed = keep_name(keeping, at.fd, at.name, NULL) || make_way(&at) || keep_state(keeping, at.fd, at.name, XATTRS);
    const struct node *its = &keeping->nodes[find_node(keeping, &n->is)];
    if (!failed && !n->attributes) { /* the file keeps its other attributes */
      n->attributes = its->attributes;
      n->attributes_size = its->attributes_size;
    }
    failed = failed || move_anew(n, &at, NULL);
    if (!failed) settled((uint32_t)(n - undone->nodes), at.parent, at.name, at.fd);
    in_place = failed && (errno == EACCES || errno == EPERM); /* the directory is not writable */
  }
  if (in_place) failed = open_up(at.fd, at.name) || keep_content(keeping, at.fd, at.name) || fill_in_place(n, at.fd, at.name);
  if (failed) return refuse_node(n, strerror(errno));
  n->flags |= META | PLACED;
  say("put-back", n->at_parent, n->at_name, "");
}

/* Whether mode, owner, times or attributes differ from those before the action first set one of them. */
static int state_differs(const struct node *n, int fd) {
  if (differs(&n->now, &n->was) || n->now.mtime != n->was.mtime || n->now.mtime_ns != n->was.mtime_ns) return 1;
  return fd >= 0 && n->attributes && !S_ISLNK(n->was.mode) && attributes_differ(undone, fd, n->at_name, n->attributes, n->attributes_size);
}

void restore_state(struct node *n) {
  struct id id;
  struct state now;
  if (!n->at_name || made_by_action(n) || n->flags & LEFT || !(n->flags & META)) return;
  if (n->flags & BLOCKED) {
    if (!(n->flags & COPIED)) refuse_node(n, why_changed(n));
    return;
  }
  const int fd = open_node(undone, n->at_parent);
  if (!keeping) {
    if (!(n->flags & COPIED) && state_differs(n, fd)) say("mode", n->at_parent, n->at_name, "");
    return;
  }
  if (fd < 0 || look(fd, n->at_name, 0, &id, &now)) return refuse_node(n, "it is not there");
  if (!same_id(&id, &n->is)) return; /* the file was replaced by the one that had the name before */
  step();
  if (keep_state(keeping, fd, n->at_name, n->attributes ? XATTRS : STATUS)) return refuse_node(n, strerror(errno));
  const int failed = apply_state(fd, n->at_name, n);
  if (failed) return refuse_node(n, strerror(errno));
  n->flags |= PLACED;
}
