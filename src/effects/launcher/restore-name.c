/* Names: gives each name back to the directory or file that had it. */
#include "restore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct store *undone, *keeping;

static int is_dir(const struct state *s) { return S_ISDIR(s->mode); }

/* An owner may have made the directory read-only; its mode is restored at the end. */
int ease(uint32_t node) {
  struct node *n = &undone->nodes[node];
  struct id id;
  struct state state;
  char path[40];
  int fd = open_node(undone, node);
  if (fd < 0 || look(fd, "", 0, &id, &state)) return -1;
  if ((state.mode & 0300) == 0300 || geteuid() == 0 || state.uid != geteuid()) return fd;
  if (keep_state(keeping, fd, "", STATUS)) return -1;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (syscall(SYS_fchmodat, AT_FDCWD, path, (state.mode & 07777) | 0700)) return -1;
  n->flags |= EASED;
  return fd;
}

/* Closes again the directories that this undo, or its interrupted attempt, opened and did not otherwise change.
 * Subdirectories come first. */
void tighten(void) {
  for (uint32_t i = undone->node_count; i; i--) {
    const struct node *n = &undone->nodes[i];
    const uint32_t held = n->at_name && n->at_parent != ELSEWHERE && is_dir(&n->now) ? find_node(keeping, &n->is) : 0;
    const struct node *was = &keeping->nodes[held];
    struct id id;
    struct state now;
    char path[40];
    if (!held || !(was->flags & META) || !(n->flags & LEFT || n->id.born > undone->started)) continue;
    int fd = open_node(undone, i);
    if (fd < 0 || look(fd, "", 0, &id, &now) || now.mode != (was->was.mode | 0700)) continue;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    syscall(SYS_fchmodat, AT_FDCWD, path, was->was.mode & 07777);
  }
}

/* Finds a name from which the inode can be linked. */
static int source_of(uint32_t node, int *directory, const char **name) {
  static char number[12];
  struct node *n = &undone->nodes[node];
  struct id id;
  *directory = undone->links;
  *name = decimal(n->link, number);
  if (n->link && !look(undone->links, *name, 0, &id, NULL) && same_id(&id, &n->id)) return 1;
  *name = n->at_name;
  if (n->at_name && (*directory = open_node(undone, n->at_parent)) >= 0 && !look(*directory, *name, 0, &id, NULL) && same_id(&id, &n->is)) return 2;
  uint32_t held = find_node(keeping, &n->is);
  *directory = keeping->links;
  if (!held || !keeping->nodes[held].link) return 0;
  *name = decimal(keeping->nodes[held].link, number);
  return look(keeping->links, *name, 0, &id, NULL) == 0 && same_id(&id, &n->is) ? 3 : 0;
}

/* Notes that the file which had the name is now only in the store. */
void given_way(const struct id *id, const struct entry *e) {
  struct node *n = &undone->nodes[find_node(undone, id)];
  if (n->at_name && n->at_parent == e->parent && !strcmp(n->at_name, e->name)) n->at_name = NULL;
}

void settled(uint32_t node, uint32_t parent, const char *name, int fd) {
  struct node *n = &undone->nodes[node];
  n->at_parent = parent;
  n->at_name = name;
  n->flags |= PLACED;
  look(fd, name, 0, &n->is, &n->now);
}

/* Prepares what has the name for its replacement. A directory must be writable to move to another parent. */
int make_way(const struct spot *to) {
  char path[FD_PATH];
  if (!to->occupied) return 0;
  if (!is_dir(&to->state)) return keep_inode(keeping, to->fd, to->name);
  if (to->state.mode & 0200 || geteuid() == 0 || to->state.uid != geteuid()) return 0;
  path_in(to->fd, to->name, path);
  if (keep_state(keeping, to->fd, to->name, STATUS)) return -1;
  return (int)syscall(SYS_fchmodat, AT_FDCWD, path, (to->state.mode & 07777) | 0700);
}

/* After an exchange the replaced file has the name that the restored one came from. A file is removed there, since
 * our store has its link or copy. */
static int given_place(const struct spot *by, const struct spot *to) {
  struct node *other = &undone->nodes[find_node(undone, &to->id)];
  if (by->parent != ELSEWHERE && !by->is_near) {
    if (other != undone->nodes) other->at_parent = by->parent, other->at_name = by->name;
    return 0;
  }
  const int directory = is_dir(&to->state);
  if (!directory && syscall(SYS_unlinkat, by->fd, by->name, 0)) return -1;
  /* What the action made in the directory is removed before it. */
  if (directory && by->is_near) {
    if (syscall(SYS_unlinkat, by->fd, by->name, AT_REMOVEDIR) == 0) return 0;
    if (errno != ENOTEMPTY) return -1;
  }
  if (other != undone->nodes) other->at_parent = by->parent, other->at_name = directory ? by->name : NULL;
  return !directory || !by->is_near || add_entry(undone, by->parent, by->name, 0) ? 0 : -1;
}

/* The one move: in one call the name gets the restored file, and the replaced one is kept or exchanged. */
static int bring(const struct node *n, const struct spot *from, const struct spot *to) {
  const int how = !to->occupied ? NOREPLACE : is_dir(&to->state) || is_dir(&n->was) ? EXCHANGE : 0;
  char number[12];
  struct spot by = *from;
  if (syscall(SYS_renameat2, from->fd, from->name, to->fd, to->name, how)) {
    /* The file is inside the directory at its place: move it by way of our store. */
    if (how != EXCHANGE || errno != EINVAL || from->parent == ELSEWHERE) return -1;
    if (!is_dir(&n->was) && keep_inode(keeping, from->fd, from->name)) return -1;
    by = (struct spot){.parent = ELSEWHERE, .name = fresh_name(keeping, number), .fd = keeping->trash};
    if (!by.name || syscall(SYS_renameat2, from->fd, from->name, by.fd, by.name, NOREPLACE)) return -1;
    if (syscall(SYS_renameat2, by.fd, by.name, to->fd, to->name, EXCHANGE)) {
      const int why = errno;
      syscall(SYS_renameat2, by.fd, by.name, from->fd, from->name, NOREPLACE); /* in our store nobody would find it */
      return errno = why, -1;
    }
  }
  return how == EXCHANGE ? given_place(&by, to) : 0;
}

/* Records the new file as equal to the old one, which an attempt after a crash then finds. */
static int make_anew(struct node *n, const struct spot *at) {
  struct id id;
  struct state state;
  char number[12];
  const char *copy = decimal(n->copy, number);
  if (is_dir(&n->was)) {
    if (syscall(SYS_mkdirat, at->fd, at->name, 0700)) return -1;
    drop_inherited(at->fd, at->name);
  } else if (S_ISREG(n->was.mode) && !(n->flags & COPIED)) return errno = ENODATA, -1;
  /* The copy itself becomes the file, if it is on the same file system. Its name in the store is removed later. */
  else if (n->copy && syscall(SYS_linkat, undone->copies, copy, at->fd, at->name, 0) == 0) {
    if (apply_state(at->fd, at->name, n)) return -1;
  } else if (make_file(n, undone->copies, copy, at->fd, at->name)) return -1;
  n->flags |= MADE;
  return look(at->fd, at->name, 0, &id, &state) || equals_add(keeping, &id, &state, &n->id, &n->was) ? -1 : 0;
}

int move_anew(struct node *n, const struct spot *to, const struct spot *source) {
  char number[12], near[NAME_BYTES];
  struct spot at = {.parent = ELSEWHERE, .name = fresh_name(keeping, number), .fd = keeping->trash};
  if (!at.name || (source ? (int)syscall(SYS_linkat, source->fd, source->name, at.fd, at.name, 0) : make_anew(n, &at))) return -1;
  if (!bring(n, &at, to)) return 0;
  const int why = errno;
  syscall(SYS_unlinkat, at.fd, at.name, is_dir(&n->was) ? AT_REMOVEDIR : 0);
  if (why != EXDEV || source) return errno = why, -1;
  /* Our store is on another file system: try again beside the file's place. */
  const uint32_t size = (uint32_t)snprintf(near, sizeof near, NEAR "%s", at.name);
  at = (struct spot){.parent = to->parent, .name = keep_text(undone, near, size), .fd = to->fd, .is_near = 1};
  if (!at.name || keep_name(keeping, at.fd, at.name, NULL)) return -1;
  if (!make_anew(n, &at) && !bring(n, &at, to)) return 0;
  const int failed = errno;
  syscall(SYS_unlinkat, at.fd, at.name, is_dir(&n->was) ? AT_REMOVEDIR : 0);
  return errno = failed, -1;
}

int move(uint32_t node, const struct spot *to) {
  struct node *n = &undone->nodes[node];
  struct spot from = {.parent = n->at_parent, .name = n->at_name};
  const int directory = is_dir(&n->was), source = directory ? 0 : source_of(node, &from.fd, &from.name);
  keeping->gathers = 1;
  int failed = keep_name(keeping, to->fd, to->name, NULL) || (source && keep_known(keeping, from.fd, from.name));
  failed |= store_flush(keeping);
  keeping->gathers = 0;
  if (failed || make_way(to)) return -1;
  /* The action moved it: moving it back leaves nothing behind. */
  const int is_elsewhere = n->at_parent == ELSEWHERE;
  const uint32_t left = source == 2 && !is_elsewhere ? find_entry(undone, n->at_parent, n->at_name) : 0;
  if (directory ? n->at_name != NULL : left && undone->entries[left].node != node) {
    from.fd = is_elsewhere ? keeping->trash : ease(n->at_parent);
    /* A directory moves to another parent only if it is writable itself. */
    if (from.fd < 0 || (directory && ease(node) < 0) || keep_name(keeping, from.fd, from.name, NULL)) return -1;
    return bring(n, &from, to);
  }
  if (!source || to->occupied) return move_anew(n, to, source ? &from : NULL);
  if (source == 1 && n->was.links == 1) return (int)syscall(SYS_renameat2, from.fd, from.name, to->fd, to->name, NOREPLACE);
  return (int)syscall(SYS_linkat, from.fd, from.name, to->fd, to->name, 0);
}
