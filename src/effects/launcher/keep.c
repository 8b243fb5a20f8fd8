/*
 * Keeping: what a name stood for and what an inode was are written down before either is first changed.
 *
 * Names come first, with their directories up to the root. An inode that loses a name gets a link in the store, a file
 * whose content changes is copied, and extended attributes are kept with both.
 */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_COPY_FOR_TIMES = 1 << 20, PIECE = 1 << 26 }; /* bytes */

#define CLONE_CONTENT 0x40049409 /* FICLONE */

static int reopen(int fd, int flags) {
  char path[FD_PATH];
  path_in(fd, "", path);
  return open(path, flags);
}

/* The name of a directory in its parent: the kernel's path of it, or if that is too long, by looking at all names. */
static int name_of(int directory, int parent, const struct id *id, char name[NAME_BYTES]) {
  char path[4096];
  struct id other;
  struct listing names;
  struct listed next;
  const char *last = path_of_fd(directory, path, sizeof path) > 0 ? strrchr(path, '/') : NULL;
  if (last && strlen(last + 1) < NAME_BYTES && !look(parent, last + 1, 0, &other, NULL) && same_id(&other, id))
    return memcpy(name, last + 1, strlen(last + 1) + 1), 0;
  int found = 0;
  if (listing_open(&names, openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))) return errno = ENOENT, -1;
  while (!found && listing_next(&names, &next)) {
    if (strlen(next.name) >= NAME_BYTES || look(parent, next.name, 0, &other, NULL) || !same_id(&other, id)) continue;
    memcpy(name, next.name, strlen(next.name) + 1);
    found = 1;
  }
  listing_close(&names);
  return found ? 0 : (errno = ENOENT, -1);
}

/* Notes a file that changed or was made since the action began, though no answered call did that: what is kept of it
 * now is not what was there. */
static void tell_late(struct store *s, const struct id *id, const struct state *state, uint32_t parent,
    const char *name) {
  const int is_made = id->born > s->started, lasts = S_ISREG(state->mode) || S_ISLNK(state->mode);
  if (!s->listens || moment(state->ctime, state->ctime_ns) <= s->started) return;
  if (is_made ? parent != 0 : lasts) note_unkept(s, parent, name); /* a new file without a name no longer exists */
}

/* The parent of a directory. For a directory that this user can't enter, by the kernel's path of it, unchecked. */
static int above(const struct store *s, int directory) {
  char path[4096];
  int up = openat(directory, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (up >= 0 || errno != EACCES) return up;
  if (path_of_fd(directory, path, sizeof path) <= 1) return errno = EACCES, -1;
  char *last = strrchr(path, '/');
  last[last == path] = 0;
  up = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (up < 0 || !s->outside_count) return up;
  int there = outside_of(s, up);
  close(up);
  return there;
}

/* The node of an open directory that was looked at already. */
static uint32_t keep_seen_directory(struct store *s, int directory, const struct id *seen, const struct state *state) {
  const struct id id = *seen;
  struct id up_id;
  char name[NAME_BYTES];
  uint32_t n = find_node(s, &id);
  if (n && s->nodes[n].name) return n;
  if (!S_ISDIR(state->mode)) return errno = ENOTDIR, 0;
  int up = above(s, directory);
  if (up < 0 || look(up, "", 0, &up_id, NULL)) return 0;
  uint32_t parent = 0;
  const char *kept = "";
  int failed = 0;
  if (!same_id(&id, &up_id)) {
    failed = !(parent = keep_directory(s, up)) || name_of(directory, up, &id, name);
    if (!failed) failed = !(kept = keep_text(s, name, (uint32_t)strlen(name)));
  }
  close_quietly(up);
  if (failed) return 0;
  if (!n && parent && id.born > s->started && !find_entry(s, parent, kept)) tell_late(s, &id, state, parent, kept);
  const struct id *parent_id = parent ? &s->nodes[parent].id : NULL;
  if (store_write(s, R_PLACE, 0, &id, parent_id, state, kept, (uint32_t)strlen(kept))) return 0;
  if (!n && !(n = add_node(s, &id, state))) return 0;
  place_node(s, n, parent, kept);
  if (same_id(&id, &s->guarded) || (parent && s->nodes[parent].flags & IS_VAULT)) s->nodes[n].flags |= IS_VAULT;
  return n;
}

/* Records the place of an open directory and of those above it, and returns its node. 0 with errno: impossible. */
uint32_t keep_directory(struct store *s, int directory) {
  struct id id;
  struct state state;
  for (int i = 0; i < 2; i++)
    if (directory == s->known_fd[i]) return s->known_node[i];
  return look_at(s, directory, &id, &state) ? 0 : keep_seen_directory(s, directory, &id, &state);
}

/* Whether the action itself made the inode under this name, so that nobody needs it back. After an action was cut off,
 * someone else may have made it. */
static int is_new(const struct store *s, const struct id *id, uint32_t parent, const char *name) {
  struct id older;
  return id->born > s->started && parent && find_entry(s, parent, name) && !(s->resumes && !older_id(id, &older));
}

static uint32_t first_seen(struct store *s, const struct id *id, const struct state *state, uint32_t flags,
                           uint32_t parent, const char *name) {
  uint32_t n = find_node(s, id);
  /* A link in the store is no name of the user's. */
  if (parent && s->nodes[parent].flags & IS_VAULT) parent = 0;
  if (n && (s->nodes[n].flags & flags) == flags && (s->nodes[n].name || !parent)) return n;
  const int place = parent && !(n && s->nodes[n].name);
  const uint32_t size = place ? (uint32_t)strlen(name) : 0;
  if (store_write(s, R_NODE, flags, id, place ? &s->nodes[parent].id : NULL, n ? &s->nodes[n].was : state, name, size))
    return 0;
  if (!n) tell_late(s, id, state, parent, name ? name : "");
  if (!n && !(n = add_node(s, id, state))) return 0;
  s->nodes[n].flags |= flags;
  if (!place) return n;
  const char *kept = keep_text(s, name, size);
  if (kept) place_node(s, n, parent, kept);
  return kept ? n : 0;
}

/* The directory and name by which a file will be found again. Those of a descriptor (`name` empty) are what the kernel
 * says. 0: it has no name any more, or with ENAMETOOLONG, its path is too long to tell. */
static uint32_t place_of(struct store *s, int directory, const char **name, const struct id *id, char path[4096]) {
  errno = 0;
  if (**name) return keep_directory(s, directory);
  struct id other;
  long n = path_of_fd(directory, path, 4096);
  if (n <= 0 || n >= 4095) return errno = n > 0 ? ENAMETOOLONG : errno, 0;
  char *last = strrchr(path, '/');
  if (!last || strlen(last + 1) >= NAME_BYTES) return 0;
  *last = 0;
  int up = open(last == path ? "/" : path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (up >= 0 && s->outside_count) {
    int there = outside_of(s, up);
    close(up);
    up = there;
  }
  if (up < 0) return 0;
  uint32_t parent = !look(up, last + 1, 0, &other, NULL) && same_id(&other, id) ? keep_directory(s, up) : 0;
  close(up);
  *name = last + 1;
  return parent;
}

uint32_t keep_whereabouts(struct store *s, int fd) {
  char path[4096];
  const char *name = "";
  struct id id;
  struct state state;
  for (int i = 0; i < 2; i++)
    if (fd == s->known_fd[i]) return s->known_node[i];
  if (look_at(s, fd, &id, &state)) return 0;
  return S_ISDIR(state.mode) ? keep_seen_directory(s, fd, &id, &state) : place_of(s, fd, &name, &id, path);
}

/* Records what (directory, name) stands for now, unless that was done before. `entry` may be NULL. */
int keep_name(struct store *s, int directory, const char *name, uint32_t *entry) {
  struct id id = {0, 0, 0};
  struct state state = {0};
  char text[NAME_BYTES + 4096];
  uint32_t parent = keep_directory(s, directory), node = 0;
  if (!parent) return -1;
  uint32_t e = find_entry(s, parent, name);
  if (entry) *entry = e;
  if (e) return 0;
  uint32_t size = (uint32_t)strlen(name);
  if (size >= NAME_BYTES) return errno = ENAMETOOLONG, -1;
  memcpy(text, name, size + 1);
  const char *target = NULL;
  if (look_once(s, directory, name, &id, &state)) {
    if (errno != ENOENT) return -1;
  } else if (S_ISDIR(state.mode)) {
    int fd = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    node = keep_directory(s, fd);
    int failed = !node || keep_attributes(s, node, fd, "", 0), why = errno;
    close(fd);
    if (failed) return errno = why, -1;
  } else if (S_ISLNK(state.mode)) {
    long n = syscall(SYS_readlinkat, directory, name, text + size + 1, 4095);
    if (n < 0) return -1;
    target = text + size + 1;
    size += 1 + (uint32_t)n;
    text[size] = 0;
  }
  if (!(s->nodes[parent].flags & TOUCHED)) count_names(s, parent, directory);
  if (store_write(s, R_NAME, 0, &s->nodes[parent].id, &id, &state, text, size)) return -1;
  if (id.ino && !node && !(node = find_node(s, &id))) {
    tell_late(s, &id, &state, parent, name);
    if (!(node = add_node(s, &id, &state))) return -1;
  }
  if (target && !s->nodes[node].target) s->nodes[node].target = keep_text(s, target, (uint32_t)strlen(target));
  s->nodes[parent].flags |= TOUCHED;
  e = add_entry(s, parent, name, node);
  if (entry) *entry = e;
  return e ? 0 : -1;
}

int keep_absent(struct store *s, int directory, const char *name) {
  const struct id nothing = {0, 0, 0};
  uint32_t parent = keep_directory(s, directory);
  if (!parent) return -1;
  if (find_entry(s, parent, name)) return 0;
  if (store_write(s, R_NAME, 0, &s->nodes[parent].id, &nothing, NULL, name, (uint32_t)strlen(name))) return -1;
  s->nodes[parent].flags |= TOUCHED;
  return add_entry(s, parent, name, 0) ? 0 : -1;
}

const char *fresh_name(struct store *s, char number[12]) {
  struct id id;
  if (make_part(s, &s->trash)) return NULL;
  const char *name = decimal(++s->number, number);
  while (!look(s->trash, name, 0, &id, NULL))
    name = decimal(++s->number, number); /* left by an interrupted attempt */
  return keep_name(s, s->trash, name, NULL) ? NULL : keep_text(s, name, (uint32_t)strlen(name));
}

/* Keys and passwords are not copied unless the user wants that. A note tells which file was left out. */
static int is_left_out(struct store *s, int directory, const char *name) {
  if (!s->listens || s->keeps_credentials || !holds_credentials(directory, name)) return 0;
  return note_path(s, "secret", keep_directory(s, directory), name), 1;
}

/* The name is about to lose its inode, so a link in the store holds the inode. Needs keep_name first. */
int keep_inode(struct store *s, int directory, const char *name) {
  struct id id;
  struct state state;
  char number[12];
  if (look_once(s, directory, name, &id, &state)) return errno == ENOENT ? 0 : -1;
  if (S_ISDIR(state.mode)) return 0;
  uint32_t parent = keep_directory(s, directory);
  if (!parent) return -1;
  uint32_t n = find_node(s, &id);
  if (!n && is_new(s, &id, parent, name)) return 0;
  if (S_ISREG(state.mode) && is_left_out(s, directory, name)) {
    if (n) s->nodes[n].flags |= LEFT_OUT;
    return 0;
  }
  if (!n && !(n = first_seen(s, &id, &state, 0, 0, NULL))) return -1;
  struct id linked;
  const int has_link = s->nodes[n].link && !look(s->links, decimal(s->nodes[n].link, number), 0, &linked, NULL);
  if (s->nodes[n].flags & LINKED || (has_link && same_id(&linked, &id))) return 0;
  uint64_t space = state.links == 1 ? state.space : 0;
  if (!room_for(s, space) || make_part(s, &s->links)) return -1;
  if (!s->listens && keep_attributes(s, n, directory, name, 0)) return -1;
  const char *as = decimal(++s->number, number);
  if (store_write(s, R_LINK, s->number, &id, NULL, NULL, NULL, 0)) return -1;
  if (syscall(SYS_linkat, directory, name, s->links, as, 0) == 0) {
    s->nodes[n].link = s->number;
    s->nodes[n].flags |= LINKED;
    s->used += space;
    return 0;
  }
  if (errno == ENOSPC || errno == EDQUOT || errno == EIO) return -1;
  /* It is on another file system, or this user may not link it. */
  if (S_ISREG(state.mode)) return keep_content(s, directory, name);
  return S_ISLNK(state.mode) && s->nodes[n].target ? 0 : S_ISFIFO(state.mode) ? 0 : (errno = EXDEV, -1);
}

/* Notes a known file that was written to without an answered call: a copy of it now is not what was there. */
static void tell_written(struct store *s, const struct node *n, const struct state *now, uint32_t parent,
    const char *name) {
  const int same_time = now->mtime == n->was.mtime && now->mtime_ns == n->was.mtime_ns;
  if (!s->listens || n->id.born > s->started || (now->size == n->was.size && (same_time || n->flags & TIMED))) return;
  note_unkept(s, parent, name);
}

/* The content of a regular file is about to change, so it is copied. An empty file needs no copy. */
int keep_content(struct store *s, int directory, const char *name) {
  char path[4096];
  struct id id;
  struct state state;
  char number[12];
  if (look_once(s, directory, name, &id, &state)) return errno == ENOENT ? 0 : -1;
  if (!S_ISREG(state.mode)) return 0;
  uint32_t n = find_node(s, &id);
  if (n && s->nodes[n].flags & COPIED) return 0;
  const char *called = name;
  uint32_t parent = place_of(s, directory, &called, &id, path);
  if (!parent && errno == ENAMETOOLONG) return -1;
  if (!n && is_new(s, &id, parent, called)) return 0;
  if (is_left_out(s, directory, name)) {
    if (keep_state(s, directory, name, STATUS)) return -1;
    if ((n = find_node(s, &id))) s->nodes[n].flags |= LEFT_OUT;
    return 0;
  }
  if (n) tell_written(s, &s->nodes[n], &state, parent, called);
  if (!(n = first_seen(s, &id, &state, 0, parent, called)) || keep_attributes(s, n, directory, name, 0)) return -1;
  uint32_t copy = 0;
  if (state.size) {
    int from = *name ? openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
                     : reopen(directory, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (from < 0) return -1;
    const char *as;
    int to;
    do { /* an interrupted attempt may have left one */
      as = decimal(copy = ++s->number, number);
      to = make_part(s, &s->copies) ? -1 : openat(s->copies, as, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    } while (to < 0 && errno == EEXIST);
    int failed = to < 0 ? -1 : (int)syscall(SYS_ioctl, to, CLONE_CONTENT, from);
    if (failed && to >= 0) {
      if (state.space > s->max_file || !room_for(s, state.space)) errno = ENOSPC;
      else failed = copy_data(s, from, to, state.size);
      if (!failed) s->used += state.space;
    }
    int why = errno;
    if (failed && to >= 0) syscall(SYS_unlinkat, s->copies, as, 0);
    if (to >= 0) close(to);
    close(from);
    errno = why;
    if (failed) return -1;
  }
  if (store_write(s, R_COPY, copy, &id, NULL, NULL, NULL, 0)) return -1;
  s->nodes[n].copy = copy;
  s->nodes[n].flags |= COPIED;
  return 0;
}

int keep_known(struct store *s, int directory, const char *name) {
  struct id id;
  struct state state;
  if (look(directory, name, 0, &id, &state)) return -1;
  const uint32_t n = first_seen(s, &id, &state, 0, 0, NULL);
  return n ? keep_attributes(s, n, directory, name, 1) : -1;
}

/* Mode and owner, times, or extended attributes are about to change. An empty `name` means the descriptor. */
int keep_state(struct store *s, int directory, const char *name, enum aspect changes) {
  struct id id;
  struct state state;
  if (look_once(s, directory, name, &id, &state)) return errno == ENOENT ? 0 : -1;
  if (S_ISDIR(state.mode)) {
    int fd = *name ? openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        : reopen(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -1;
    uint32_t n = keep_directory(s, fd);
    int why = errno;
    close(fd);
    if (!n) return errno = why, -1;
  }
  char at[4096];
  const char *called = name;
  uint32_t parent = S_ISDIR(state.mode) ? 0 : place_of(s, directory, &called, &id, at);
  if (!parent && !S_ISDIR(state.mode) && errno == ENAMETOOLONG) return -1;
  if (!find_node(s, &id) && is_new(s, &id, parent, called)) return 0;
  uint32_t n = first_seen(s, &id, &state, META, parent, called);
  if (!n) return -1;
  if (changes == TIMES) {
    /* From now on its times don't show whether it was written to, so a small file is copied. Most programs that set the
     * times of a file have opened it for writing anyway. */
    const int is_file = s->listens && S_ISREG(state.mode) && !(s->nodes[n].flags & (COPIED | LEFT_OUT)), why = errno;
    const int copies = is_file && state.space <= MAX_COPY_FOR_TIMES &&
        (s->keeps_credentials || !holds_credentials(directory, name));
    if (is_file && (!copies || keep_content(s, directory, name))) tell_written(s, &s->nodes[n], &state, parent, called);
    errno = why;
    s->nodes[n].flags |= TIMED;
  }
  return keep_attributes(s, n, directory, name, changes == XATTRS);
}

/* Extended attributes, access lists among them. */

/* The kernel reads an attribute by way of a descriptor only if it follows that path. Returns whether it must. */
static int attribute_path(int directory, const char *name, char to[FD_PATH]) {
  path_in(directory, name, to);
  return !*name;
}

long read_attributes(struct store *s, int directory, const char *name, char *blob, uint64_t most) {
  static char list[1 << 16];
  char path[FD_PATH];
  int follow = attribute_path(directory, name, path);
  long listed = syscall(follow ? SYS_listxattr : SYS_llistxattr, path, list, sizeof list);
  if (listed < 0) return errno == EOPNOTSUPP || errno == ENOENT ? UNSUPPORTED : -1;
  uint32_t size = 0;
  for (const char *item = list; item < list + listed; item += strlen(item) + 1) {
    uint32_t length = (uint32_t)strlen(item) + 1;
    if (size + length + 4 > most) return errno = E2BIG, -1;
    memcpy(blob + size, item, length);
    char *value_at = blob + size + length + 4;
    const uint64_t room = most - size - length - 4;
    long got = s->is_mapped && is_access_list(item) ? value_outside(s, directory, name, item, value_at, room)
                                                    : syscall(follow ? SYS_getxattr : SYS_lgetxattr, path, item,
                                                        value_at, room);
    if (got < 0 && errno == ERANGE) return errno = E2BIG, -1;
    if (got < 0) continue; /* a user who can't read it can't change it either */
    uint32_t value = (uint32_t)got;
    memcpy(blob + size + length, &value, 4);
    size += length + 4 + value;
  }
  return size;
}

int same_text(const char *a, uint32_t size, const char *b, uint32_t other) {
  uint32_t i = 0;
  while (size == other && i < size && a[i] == b[i]) i++;
  return size == other && i == size;
}

/* Many calls change attributes besides what they are called for: a mode changes the access list, and a write or an
 * owner changes the capabilities. */
int keep_attributes(struct store *s, uint32_t n, int directory, const char *name, int even_none) {
  static char blob[MAX_TEXT];
  if (s->nodes[n].attributes) return 0;
  long size = read_attributes(s, directory, name, blob, sizeof blob);
  if (size == UNSUPPORTED) return 0;
  if (size < 0) return even_none || errno == E2BIG ? -1 : 0;
  if (!size && !even_none) return 0;
  if (store_write(s, R_ATTRIBUTES, 0, &s->nodes[n].id, NULL, NULL, blob, (uint32_t)size)) return -1;
  s->nodes[n].attributes = keep_text(s, blob, (uint32_t)size);
  s->nodes[n].attributes_size = (uint32_t)size;
  return s->nodes[n].attributes ? 0 : -1;
}

int end_attributes(struct store *s, struct node *n, int directory, const char *name) {
  static char blob[MAX_TEXT];
  const long size = read_attributes(s, directory, name, blob, sizeof blob);
  n->end_attributes = n->attributes;
  n->end_attributes_size = n->attributes_size;
  if (size < 0 || same_text(blob, (uint32_t)size, n->attributes, n->attributes_size)) return 0;
  n->end_attributes = keep_text(s, blob, (uint32_t)size);
  n->end_attributes_size = (uint32_t)size;
  return n->end_attributes ? store_write(s, R_END_ATTRIBUTES, 0, &n->id, NULL, NULL, blob, (uint32_t)size) : -1;
}

/* Whether the attribute is in that list, with the same value. */
static int is_among(const char *item, const char *from, const char *end) {
  uint32_t size, other;
  memcpy(&size, item + strlen(item) + 1, 4);
  for (const char *at = from; at < end; at += strlen(at) + 5 + other) {
    memcpy(&other, at + strlen(at) + 1, 4);
    if (strcmp(at, item) || size != other) continue;
    uint32_t same = 0;
    while (same < size && at[strlen(at) + 5 + same] == item[strlen(item) + 5 + same]) same++;
    if (same == size) return 1;
  }
  return 0;
}

static int are_among(const char *these, uint64_t size, const char *those, uint64_t other_size) {
  uint32_t value;
  for (const char *at = these; at < these + size; at += strlen(at) + 5 + value) {
    memcpy(&value, at + strlen(at) + 1, 4);
    if (!is_among(at, those, those + other_size)) return 0;
  }
  return 1;
}

int attributes_differ(struct store *s, int directory, const char *name, const char *kept, uint32_t kept_size) {
  static char blob[MAX_TEXT];
  long size = read_attributes(s, directory, name, blob, sizeof blob);
  if (size == UNSUPPORTED) return 0;
  return size < 0 || !are_among(blob, (uint64_t)size, kept, kept_size) ||
      !are_among(kept, kept_size, blob, (uint64_t)size);
}

static int had(const struct node *n, const char *item) {
  return n && (is_among(item, n->attributes, n->attributes + n->attributes_size) ||
      is_among(item, n->end_attributes, n->end_attributes + n->end_attributes_size));
}

int attributes_beyond(struct store *s, int directory, const char *name, const struct node *n,
    const struct node *other) {
  static char blob[MAX_TEXT];
  uint32_t value;
  const long now = read_attributes(s, directory, name, blob, sizeof blob);
  for (const char *at = blob; now > 0 && at < blob + now; at += strlen(at) + 5 + value) {
    memcpy(&value, at + strlen(at) + 1, 4);
    if (!had(n, at) && !had(other, at)) return 1;
  }
  return now < 0 && now != UNSUPPORTED;
}

/* Sets exactly the old attributes. Those of the system itself may refuse the change, and stay. */
int apply_attributes(int directory, const char *name, const struct node *n) {
  static char list[1 << 16];
  char path[FD_PATH];
  int why = 0, listless = 0;
  if (!n->attributes) return 0;
  int follow = attribute_path(directory, name, path);
  const char *end = n->attributes + n->attributes_size;
  long listed = syscall(follow ? SYS_listxattr : SYS_llistxattr, path, list, sizeof list);
  for (const char *item = list; item < list + listed; item += strlen(item) + 1) {
    int was = 0;
    for (const char *at = n->attributes; at < end && !was;) {
      uint32_t size;
      memcpy(&size, at + strlen(at) + 1, 4);
      was = !strcmp(at, item);
      at += strlen(at) + 5 + size;
    }
    if (!was && syscall(follow ? SYS_removexattr : SYS_lremovexattr, path, item) && strncmp(item, "security.", 9))
      why = errno;
  }
  for (const char *at = n->attributes; at < end;) {
    uint32_t size;
    const char *value = at + strlen(at) + 5;
    memcpy(&size, at + strlen(at) + 1, 4);
    if (syscall(follow ? SYS_setxattr : SYS_lsetxattr, path, at, value, size, 0) && strncmp(at, "security.", 9)) {
      why = errno;
      listless |= !strcmp(at, "system.posix_acl_access");
    }
    at = value + size;
  }
  return why ? errno = why, listless ? WITHOUT_LIST : -1 : 0;
}

uint32_t mode_without_list(const struct node *n) {
  enum { HEAD = 4, ENTRY = 8, OF_GROUP = 4 };
  const char *end = n->attributes + n->attributes_size;
  for (const char *at = n->attributes; at < end;) {
    uint32_t size;
    const char *value = at + strlen(at) + 5;
    memcpy(&size, at + strlen(at) + 1, 4);
    for (uint32_t i = HEAD; !strcmp(at, "system.posix_acl_access") && i + ENTRY <= size; i += ENTRY) {
      uint16_t tag, rights;
      memcpy(&tag, value + i, 2);
      memcpy(&rights, value + i + 2, 2);
      if (tag == OF_GROUP) return n->was.mode & ~(070u & ~((uint32_t)rights << 3));
    }
    at = value + size;
  }
  return n->was.mode;
}

void drop_inherited(int directory, const char *name) {
  char path[FD_PATH];
  attribute_path(directory, name, path);
  syscall(SYS_lremovexattr, path, "system.posix_acl_access");
  syscall(SYS_lremovexattr, path, "system.posix_acl_default");
}

static uint64_t piece(uint64_t size) { return size < PIECE ? size : PIECE; }

int copy_data(const struct store *s, int from, int to, uint64_t size) {
  static char buffer[1 << 16];
  if (syscall(SYS_ftruncate, to, size)) return -1;
  for (uint64_t at = 0; at < size;) {
    long data = syscall(SYS_lseek, from, at, 3 /* SEEK_DATA */);
    if (data < 0 && errno == ENXIO) return 0; /* the rest is a hole */
    if (data < 0) data = (long)at;
    long hole = syscall(SYS_lseek, from, data, 4 /* SEEK_HOLE */);
    uint64_t end = hole < 0 || (uint64_t)hole > size ? size : (uint64_t)hole;
    long in = data, out = data;
    while ((uint64_t)in < end) {
      long got = syscall(SYS_copy_file_range, from, &in, to, &out, piece(end - (uint64_t)in), 0);
      if (got > 0) {
        if (s && s->beats) syscall(SYS_utimensat, s->journal, NULL, NULL, 0);
        continue;
      }
      if (got < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO)) return -1;
      uint64_t want = end - (uint64_t)in < sizeof buffer ? end - (uint64_t)in : sizeof buffer;
      got = syscall(SYS_pread64, from, buffer, want, in);
      if (got < 0) return -1;
      if (got == 0) return 0; /* the file has become shorter */
      long put = syscall(SYS_pwrite64, to, buffer, got, in);
      if (put != got) return put < 0 ? -1 : (errno = ENOSPC, -1);
      in += got;
      out = in;
    }
    at = end;
  }
  return 0;
}
