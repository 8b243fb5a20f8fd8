/* Names: the directory or file that one stood for comes back to it. */
#include "restore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct store *undone, *keeping;

static int is_dir(const struct state *s) { return S_ISDIR(s->mode); }

/* An owner may have taken the right to write from the directory itself; it is given back at the end. */
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

/* What was eased and stays otherwise as it is, whether by this attempt or by one that was cut. What is below a directory first. */
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

/* Where the inode can be linked from. */
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

/* What stood at a name has given way: it lives on in the store alone. */
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

/* What stood in the way has been exchanged into our store. Of a file the link that keep_inode made is enough. */
static void set_aside(const struct id *id, int directory, const char *name) {
  uint32_t n = find_node(undone, id);
  if (!directory) syscall(SYS_unlinkat, keeping->trash, name, 0);
  if (!n) return;
  undone->nodes[n].at_parent = ELSEWHERE;
  undone->nodes[n].at_name = directory ? name : NULL;
}

/* What is exchanged into our store: a directory goes to another parent only if its owner may write to it. */
static int make_way(int fd, const char *name, const struct state *now) {
  char path[40 + NAME_BYTES];
  if (!is_dir(now)) return keep_inode(keeping, fd, name);
  if (now->mode & 0200 || geteuid() == 0 || now->uid != geteuid()) return 0;
  snprintf(path, sizeof path, "/proc/self/fd/%d/%s", fd, name);
  return keep_state(keeping, fd, name, STATUS) || syscall(SYS_fchmodat, AT_FDCWD, path, (now->mode & 07777) | 0700) ? -1 : 0;
}

/* Before it comes to its place: whoever goes on after a crash finds there what belongs there. */
int stands_for(const struct node *n, int directory, const char *name) {
  struct id id;
  struct state state;
  return look(directory, name, 0, &id, &state) || equals_add(keeping, &id, &state, &n->id, &n->was) ? -1 : 0;
}

/* A name beside its place, where our store is on another file system. */
static const char *near_name(int fd, const char *made) {
  char near[NAME_BYTES];
  int n = snprintf(near, sizeof near, NEAR "%s", made);
  return keep_name(keeping, fd, near, NULL) ? NULL : keep_text(undone, near, (uint32_t)n);
}

/* What stood in the way has been exchanged to that name: it goes, a directory behind what the action made in it. */
static int give_way_near(const struct entry *e, int fd, const char *near, const struct id *now, int directory) {
  if (!directory) return (int)syscall(SYS_unlinkat, fd, near, 0);
  if (syscall(SYS_unlinkat, fd, near, AT_REMOVEDIR) == 0) return 0;
  if (errno != ENOTEMPTY) return -1;
  uint32_t n = find_node(undone, now);
  if (n) {
    undone->nodes[n].at_parent = e->parent;
    undone->nodes[n].at_name = near;
  }
  return add_entry(undone, e->parent, near, 0) ? 0 : -1;
}

/* What stands at its place holds it: then by way of our store. */
static int by_our_store(const struct entry *e, int fd, int from, const char *was, const struct id *now, int directory) {
  char number[12];
  const char *aside = fresh_name(keeping, number);
  if (!aside || syscall(SYS_renameat2, from, was, keeping->trash, aside, NOREPLACE)) return -1;
  if (syscall(SYS_renameat2, keeping->trash, aside, fd, e->name, EXCHANGE)) {
    const int why = errno;
    syscall(SYS_renameat2, keeping->trash, aside, from, was, NOREPLACE); /* in our store nobody would find it */
    return errno = why, -1;
  }
  set_aside(now, directory, aside);
  return 0;
}

int place_directory(const struct entry *e, int fd, const struct state *state, const struct id *now, int occupied) {
  struct node *n = &undone->nodes[e->node];
  char number[12];
  if (occupied && make_way(fd, e->name, state)) return -1;
  if (n->at_name) {
    int from = n->at_parent == ELSEWHERE ? keeping->trash : ease(n->at_parent);
    const char *was = n->at_name;
    uint32_t was_in = n->at_parent, other = occupied ? find_node(undone, now) : 0;
    /* To another parent it moves only if it may be written to itself. */
    if (from < 0 || ease(e->node) < 0 || keep_name(keeping, from, was, NULL)) return -1;
    if (syscall(SYS_renameat2, from, was, fd, e->name, occupied ? EXCHANGE : NOREPLACE)) {
      return occupied && errno == EINVAL ? by_our_store(e, fd, from, was, now, is_dir(state)) : -1;
    }
    if (was_in == ELSEWHERE && occupied) set_aside(now, is_dir(state), was);
    else if (other) {
      undone->nodes[other].at_parent = was_in;
      undone->nodes[other].at_name = was;
    }
    return 0;
  }
  const char *made = fresh_name(keeping, number);
  if (!made || syscall(SYS_mkdirat, keeping->trash, made, 0700) || stands_for(n, keeping->trash, made)) return -1;
  n->flags |= MADE;
  if (syscall(SYS_renameat2, keeping->trash, made, fd, e->name, occupied ? EXCHANGE : NOREPLACE)) {
    /* Our store is on another file system. */
    if (errno != EXDEV) return -1;
    const char *near = near_name(fd, made);
    if (!near || syscall(SYS_mkdirat, fd, near, 0700)) return -1;
    drop_inherited(fd, near);
    if (stands_for(n, fd, near)) return -1;
    if (syscall(SYS_renameat2, fd, near, fd, e->name, occupied ? EXCHANGE : NOREPLACE)) return -1;
    return occupied ? give_way_near(e, fd, near, now, is_dir(state)) : 0;
  }
  if (occupied) set_aside(now, is_dir(state), made);
  return 0;
}

int place_file(const struct entry *e, int fd, const struct state *now, const struct id *now_id, int occupied) {
  struct node *n = &undone->nodes[e->node];
  int directory;
  const char *name, *made;
  char number[12];
  int source = source_of(e->node, &directory, &name);
  if ((occupied && make_way(fd, e->name, now)) || (source && keep_known(keeping, directory, name))) return -1;
  /* It was moved: moved back, nothing of it stays behind. */
  uint32_t left = source == 2 && n->at_parent != ELSEWHERE ? find_entry(undone, n->at_parent, n->at_name) : 0;
  if (left && undone->entries[left].node != e->node) {
    int swap = occupied && is_dir(now);
    uint32_t other = swap ? find_node(undone, now_id) : 0;
    if (ease(n->at_parent) < 0 || keep_name(keeping, directory, name, NULL)) return -1;
    if (syscall(SYS_renameat2, directory, name, fd, e->name, swap ? EXCHANGE : occupied ? 0 : NOREPLACE)) {
      if (!swap || errno != EINVAL || keep_inode(keeping, directory, name)) return -1;
      return by_our_store(e, fd, directory, name, now_id, 1);
    }
    if (!other) return 0;
    undone->nodes[other].at_parent = n->at_parent;
    undone->nodes[other].at_name = name;
    return 0;
  }
  if (source && !occupied) {
    if (source == 1 && n->was.links == 1) return (int)syscall(SYS_renameat2, directory, name, fd, e->name, NOREPLACE);
    return (int)syscall(SYS_linkat, directory, name, fd, e->name, 0);
  }
  if (!(made = fresh_name(keeping, number))) return -1;
  int beside = keeping->trash;
  int failed = source ? (int)syscall(SYS_linkat, directory, name, beside, made, 0) : make_from_copy(undone, n, beside, made) || stands_for(n, beside, made);
  if (failed) return -1;
  if (!source) n->flags |= MADE;
  int how = !occupied ? NOREPLACE : is_dir(now) ? EXCHANGE : 0;
  if (syscall(SYS_renameat2, beside, made, fd, e->name, how) == 0) {
    if (how == EXCHANGE) set_aside(now_id, 1, made);
    return 0;
  }
  if (errno != EXDEV || source) return -1;
  /* Once more, from our store on another file system to a name beside its place. */
  const char *near = near_name(fd, made);
  if (!near) return -1;
  int from = S_ISREG(n->was.mode) ? openat(beside, made, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
  int to = from < 0 ? -1 : openat(fd, near, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (S_ISREG(n->was.mode)) failed = to < 0 || copy_data(keeping, from, to, n->was.size) || syscall(SYS_fsync, to) || (drop_inherited(fd, near), apply_state(fd, near, n));
  else failed = make_from_copy(undone, n, fd, near);
  close_quietly(from);
  close_quietly(to);
  failed = failed || stands_for(n, fd, near);
  if (!failed) failed = (int)syscall(SYS_renameat2, fd, near, fd, e->name, how);
  if (failed) syscall(SYS_unlinkat, fd, near, 0);
  return failed || how != EXCHANGE ? failed : give_way_near(e, fd, near, now_id, 1);
}
