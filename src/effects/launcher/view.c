/*
 * What a trial would change, and what an action left.
 *
 * aish-sandbox --changes STORE --tree DIR...   a trial's changes: `kind type mode size links flags NUL path NUL`
 *
 *   kind   A made, D gone, M other content or another file, P only mode, owner, times or attributes, X unknown
 *   type   f(ile), d(irectory), l(ink), o(ther)
 *   flags  s: a file that goes has other names, which stay
 *
 * aish-sandbox --undo STORE --names            what an action left: `verb NUL path NUL facts NUL`
 *
 *   verb   `made` by the action, `moved`: older, but it got this name, `changed` in place
 *   facts  `type DEV INO CTIME WAS DEV INO CTIME`. WAS is the time of change before the action; behind it is what had
 *          this name before. Times are in nanoseconds, 0 for nothing. A file that can't be looked at is `changed`, of
 *          type o and without a time.
 */
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_CONFLICTS = 50 };

void output_flush(struct output *o) {
  for (uint64_t at = 0; at < o->used;) {
    ssize_t n = write(1, o->room + at, o->used - at);
    if (n <= 0) break;
    at += (uint64_t)n;
  }
  o->used = 0;
}

void output_put(struct output *o, const char *text) {
  uint64_t n = strlen(text) + 1;
  if (o->used + n > sizeof o->room) output_flush(o);
  for (; n > sizeof o->room; n -= sizeof o->room, text += sizeof o->room)
    if (write(1, text, sizeof o->room) < 0) return;
  memcpy(o->room + o->used, text, n);
  o->used += n;
}

uint64_t path_push(struct path *p, const char *name) {
  const uint64_t was = p->length, n = strlen(name);
  if (p->length + n + 2 > sizeof p->text) return was;
  if (p->length || *name != '/') p->text[p->length++] = '/';
  memcpy(p->text + p->length, name, n + 1);
  p->length += n;
  return was;
}

void path_pop(struct path *p, uint64_t to) {
  p->length = to;
  p->text[to] = 0;
}

void names_drop(struct names *names) {
  if (names->text) drop_arena(names->text, names->size);
  *names = (struct names){NULL, 0, 0};
}

int names_of(int directory, struct names *names) {
  struct listing all;
  struct listed one;
  *names = (struct names){NULL, 0, 0};
  if (listing_open(&all, openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))) return -1;
  while (listing_next(&all, &one)) {
    const uint64_t n = strlen(one.name) + 1;
    if (names->used + n > names->size) {
      const uint64_t used = names->used, size = names->size ? names->size * 4 : 1 << 14;
      char *larger = arena(size);
      if (!larger) return listing_close(&all), errno = ENOMEM, -1;
      memcpy(larger, names->text, used);
      names_drop(names);
      *names = (struct names){larger, used, size};
    }
    memcpy(names->text + names->used, one.name, n);
    names->used += n;
  }
  const int failed = all.filled < 0, why = errno;
  listing_close(&all);
  errno = why;
  return failed ? -1 : 0;
}

int open_directory(int above, const char *name) {
  return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

int is_private(const char *attribute) {
  return !strncmp(attribute, "user.overlay.", 13) || !strncmp(attribute, "trusted.overlay.", 16);
}

static int is_opaque(int directory) {
  char path[FD_PATH], value[8];
  path_in(directory, "", path);
  return syscall(SYS_getxattr, path, "user.overlay.opaque", value, sizeof value) > 0 && value[0] == 'y';
}

/* The overlay marks what it copied up, even if it may not note from where. It never marks a file with several names. */
static int has_origin(int upper, const char *name) {
  char path[FD_PATH], value[200];
  path_in(upper, name, path);
  return syscall(SYS_lgetxattr, path, "user.overlay.origin", value, sizeof value) >= 0;
}

static int same_content(int upper, int lower, const char *name) {
  static char a[1 << 16], b[1 << 16];
  int x = openat(upper, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  int y = openat(lower, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  int same = x >= 0 && y >= 0;
  while (same) {
    ssize_t n = read(x, a, sizeof a), m = read(y, b, sizeof b);
    same = n >= 0 && n == m;
    for (ssize_t i = 0; same && i < n; i++) same = a[i] == b[i];
    if (n <= 0) break;
  }
  if (x >= 0) close(x);
  if (y >= 0) close(y);
  return same;
}

static int same_target(int upper, int lower, const char *name) {
  char a[4096], b[4096];
  long n = syscall(SYS_readlinkat, upper, name, a, sizeof a), m = syscall(SYS_readlinkat, lower, name, b, sizeof b);
  if (n < 0 || n != m) return 0;
  for (long i = 0; i < n; i++)
    if (a[i] != b[i]) return 0;
  return 1;
}

/* Without a name: of the descriptor. */
static long list_attributes(int directory, const char *name, char *list, long size) {
  char path[FD_PATH];
  path_in(directory, name, path);
  return syscall(*name ? SYS_llistxattr : SYS_listxattr, path, list, size);
}

static long value_of(int directory, const char *name, const char *item, char *value, long size) {
  char path[FD_PATH];
  path_in(directory, name, path);
  return syscall(*name ? SYS_lgetxattr : SYS_getxattr, path, item, value, size);
}

/* Whether the attribute is neither the overlay's own nor a system label, which each file system sets itself. */
static int is_of_file(const char *attribute) { return !is_private(attribute) && strcmp(attribute, "security.selinux"); }

static int count_of(const char *list, long size) {
  int count = 0;
  for (const char *item = list; item < list + size; item += strlen(item) + 1) count += is_of_file(item);
  return count;
}

static int same_attributes(int upper, int lower, const char *name) {
  static char list[1 << 16], other[1 << 16], a[1 << 16], b[1 << 16];
  long n = list_attributes(upper, name, list, sizeof list), m = list_attributes(lower, name, other, sizeof other);
  if (count_of(list, n) != count_of(other, m)) return 0;
  for (const char *item = list; item < list + n; item += strlen(item) + 1) {
    if (!is_of_file(item)) continue;
    long x = value_of(upper, name, item, a, sizeof a), y = value_of(lower, name, item, b, sizeof b);
    if (x != y) return 0;
    for (long i = 0; i < x; i++)
      if (a[i] != b[i]) return 0;
  }
  return 1;
}

static int is_marked(int directory, const char *name, int in_upper) {
  static const char *const stored[] = {"user.overlay.overlay.", "trusted.overlay.overlay."};
  static char list[1 << 16];
  long n = list_attributes(directory, name, list, sizeof list);
  for (const char *item = list; item < list + n; item += strlen(item) + 1)
    if (in_upper ? !strncmp(item, stored[0], strlen(stored[0])) || !strncmp(item, stored[1], strlen(stored[1]))
        : is_private(item))
      return 1;
  return 0;
}

static int same_state(const struct state *a, const struct state *b) {
  return a->mode == b->mode && a->uid == b->uid && a->gid == b->gid && a->mtime == b->mtime &&
      a->mtime_ns == b->mtime_ns;
}

int judge(int upper, int lower, const char *name, struct view *v) {
  *v = (struct view){.verdict = NEW};
  if (look(upper, name, 0, &v->upper_id, &v->upper)) return -1;
  v->has_lower = lower >= 0 && look(lower, name, 0, &v->lower_id, &v->lower) == 0;
  const uint32_t kind = v->upper.mode & S_IFMT;
  if (kind == S_IFCHR && v->upper.rdev == 0) return v->verdict = GONE, 0;
  v->from_before = has_origin(upper, name);
  if (is_marked(upper, name, 1) || (v->has_lower && is_marked(lower, name, 0))) return v->verdict = MARKED, 0;
  if (!v->has_lower) return 0;
  v->verdict = REPLACED;
  if (kind != (v->lower.mode & S_IFMT)) return 0;
  if (kind == S_IFDIR) {
    int fd = open_directory(upper, name);
    if (fd < 0) return -1;
    if (!is_opaque(fd)) v->verdict = MERGED;
    close(fd);
    return 0;
  }
  /* A change by one of several names is noted while it happens and reported as unknown. So this file was made anew. */
  if (v->lower.links > 1) return 0;
  if (kind == S_IFREG) {
    if (v->upper.size != v->lower.size || !same_content(upper, lower, name)) return v->verdict = WRITTEN, 0;
  } else if (kind == S_IFLNK) {
    if (!same_target(upper, lower, name)) return 0;
  } else if (v->upper.rdev != v->lower.rdev) return 0;
  v->verdict = same_state(&v->upper, &v->lower) && same_attributes(upper, lower, name) ? SAME : STATE_ONLY;
  if (v->upper.links > 1) v->verdict = NAMED;
  return 0;
}

/* A walk through the upper directory of a trial and the tree below it. */
struct walk {
  struct path *here;
  uint64_t began;      /* nanoseconds: when the trial began */
  struct store *store; /* of the trial; NULL where changes are only listed */
  uint32_t found;      /* conflicts */
  struct output out;
};

static void tell(struct walk *w, const char *kind, const struct state *s, const char *flags, const char *name) {
  char line[120];
  const uint32_t type = s->mode & S_IFMT;
  const char *word = type == S_IFREG ? "f" : type == S_IFDIR ? "d" : type == S_IFLNK ? "l" : "o";
  snprintf(line, sizeof line, "%s %s %d %llu %d %s", kind, word, (int)(s->mode & 07777),
           (unsigned long long)(type == S_IFDIR ? 0 : s->size), (int)s->links, flags);
  uint64_t top = path_push(w->here, name);
  output_put(&w->out, line);
  output_put(&w->out, w->here->text);
  path_pop(w->here, top);
}

/* Reports every entry of a tree, from the top down. */
static int tell_tree(struct walk *w, const char *kind, int above, const char *name) {
  struct id id;
  struct state state;
  struct names names;
  if (look(above, name, 0, &id, &state)) return errno == ENOENT ? 0 : -1;
  if (S_ISCHR(state.mode) && state.rdev == 0) return 0; /* a whiteout: it hides what was in a directory that is gone */
  const int several = S_ISREG(state.mode) && state.links > 1 && *kind == 'D';
  tell(w, *kind == 'A' && is_marked(above, name, 1) ? "X" : kind, &state, several ? "s" : "-", name);
  if (!S_ISDIR(state.mode)) return 0;
  /* The command may have taken its own right to look into what it made. */
  char path[FD_PATH];
  const int closed = *kind == 'A' && (state.mode & 0500) != 0500 && geteuid() != 0;
  path_in(above, name, path);
  if (closed && syscall(SYS_fchmodat, AT_FDCWD, path, (state.mode & 07777) | 0500)) return -1;
  int fd = open_directory(above, name), failed = fd < 0 || names_of(fd, &names);
  uint64_t top = path_push(w->here, name);
  if (!failed)
    for EACH_NAME (below, names) failed |= tell_tree(w, kind, fd, below) != 0;
  path_pop(w->here, top);
  if (!failed) names_drop(&names);
  if (fd >= 0) close(fd);
  if (closed && syscall(SYS_fchmodat, AT_FDCWD, path, state.mode & 07777)) failed = 1;
  return failed ? -1 : 0;
}

/* Whether the command set the times of a directory. A name that comes or goes sets the present time, which is told as
 * that name already; any other time was set by a call. */
static int has_times_set(const struct walk *w, const struct view *v) {
  const uint64_t is = moment(v->upper.mtime, v->upper.mtime_ns);
  if (v->upper.mtime == v->lower.mtime && v->upper.mtime_ns == v->lower.mtime_ns) return 0;
  return is < w->began || is > moment(v->upper.ctime, v->upper.ctime_ns);
}

/* Whether the trial changed more of a directory than its names. */
static int is_set_anew(const struct walk *w, const struct view *v, int upper, int lower, const char *name) {
  if ((v->upper.mode ^ v->lower.mode) & 07777 || v->upper.uid != v->lower.uid || v->upper.gid != v->lower.gid) return 1;
  return has_times_set(w, v) || !same_attributes(upper, lower, name);
}

/* The same for the root of a tree. One that belongs to someone else, mostly /tmp, can't be set. */
static int is_root_set_anew(const struct walk *w, struct view *v, int upper, int lower) {
  if (look(upper, "", 0, &v->upper_id, &v->upper) || look(lower, "", 0, &v->lower_id, &v->lower)) return 0;
  return (geteuid() == 0 || v->lower.uid == geteuid()) && is_set_anew(w, v, upper, lower, "");
}

static int list(struct walk *w, int upper, int lower, int opaque);

static int list_below(struct walk *w, int upper, int lower, const char *name, int opaque) {
  const int u = open_directory(upper, name), l = open_directory(lower, name);
  const uint64_t top = path_push(w->here, name);
  const int failed = u < 0 || l < 0 || list(w, u, l, opaque);
  path_pop(w->here, top);
  if (u >= 0) close(u);
  if (l >= 0) close(l);
  return failed ? -1 : 0;
}

/* `opaque`: the directory replaced another one, so what only the lower one holds is gone. */
static int list(struct walk *w, int upper, int lower, int opaque) {
  struct names names;
  struct view v;
  if (names_of(upper, &names)) return -1;
  int failed = 0;
  for EACH_NAME (name, names) {
    if (judge(upper, lower, name, &v)) {
      failed = 1;
      continue;
    }
    switch (v.verdict) {
      case GONE:
        if (v.has_lower) failed |= tell_tree(w, "D", lower, name) != 0;
        break;
      case NEW:
        failed |= tell_tree(w, "A", upper, name) != 0;
        break;
      case WRITTEN:
        tell(w, "M", &v.upper, "-", name);
        break;
      case STATE_ONLY:
      case NAMED:
        tell(w, "P", &v.upper, "-", name);
        break;
      case REPLACED:
        if (S_ISDIR(v.upper.mode) && S_ISDIR(v.lower.mode)) {
          failed |= list_below(w, upper, lower, name, 1) != 0;
        } else if (S_ISDIR(v.upper.mode) || S_ISDIR(v.lower.mode)) {
          failed |= tell_tree(w, "D", lower, name) || tell_tree(w, "A", upper, name);
        } else tell(w, "M", &v.upper, "-", name);
        break;
      case MERGED:
        if (is_set_anew(w, &v, upper, lower, name)) tell(w, "P", &v.upper, "-", name);
        failed |= list_below(w, upper, lower, name, 0) != 0;
        break;
      case MARKED:
        tell(w, "X", &v.upper, "-", name);
        break;
      case SAME:
        break;
    }
  }
  names_drop(&names);
  if (failed || !opaque) return failed ? -1 : 0;
  if (names_of(lower, &names)) return -1;
  for EACH_NAME (gone, names)
    if (look(upper, gone, 0, &v.upper_id, &v.upper)) failed |= tell_tree(w, "D", lower, gone) != 0;
  names_drop(&names);
  return failed ? -1 : 0;
}

int list_changes(int argc, char **argv) {
  static struct path here;
  static struct walk w;
  w.here = &here;
  char path[4096];
  struct id id;
  int failed = argc < 5 || (snprintf(path, sizeof path, "%s/trial", argv[2]), look(AT_FDCWD, path, 0, &id, NULL)),
      number = 0;
  w.began = failed ? 0 : id.born;
  for (int i = 3; !failed && i + 1 < argc; i += 2, number++) {
    if (strcmp(argv[i], "--tree")) failed = 1;
    snprintf(path, sizeof path, "%s/trial/upper%d", argv[2], number);
    int upper = open_directory(AT_FDCWD, path), lower = open_directory(AT_FDCWD, argv[i + 1]);
    failed = failed || upper < 0 || lower < 0;
    struct view root = {0};
    if (!failed && is_root_set_anew(&w, &root, upper, lower)) tell(&w, "P", &root.upper, "-", argv[i + 1]);
    if (!failed && (is_marked(upper, "", 1) || is_marked(lower, "", 0))) tell(&w, "X", &root.upper, "-", argv[i + 1]);
    path_push(&here, argv[i + 1]);
    failed = failed || list(&w, upper, lower, 0);
    path_pop(&here, 0);
  }
  output_flush(&w.out);
  if (!failed) return 0;
  dprintf(2, "aish-sandbox: changes: %s\n", strerror(errno ? errno : EINVAL));
  return EXIT_SETUP;
}

static void conflict(struct walk *w, const char *name, const char *why) {
  if (w->found++ >= MAX_CONFLICTS) return;
  uint64_t top = path_push(w->here, name);
  output_put(&w->out, "conflict");
  output_put(&w->out, w->here->text);
  output_put(&w->out, why);
  path_pop(w->here, top);
}

static int is_fresh(const struct store *s, const struct state *state) {
  return moment(state->ctime, state->ctime_ns) >= s->started;
}

/* Finds changes at or below a removed name, since the contents of a directory are removed with it. */
static int newer(struct walk *w, int above, const char *name, uint64_t device, int depth) {
  struct id id;
  struct state state;
  struct names names;
  if (look(above, name, 0, &id, &state)) return errno == ENOENT ? 0 : -1;
  if (id.dev != device) return conflict(w, name, "on another file system"), 0;
  if (is_fresh(w->store, &state)) conflict(w, name, "changed since");
  w->store->inside += depth > 0;
  if (depth && state.links == 1) w->store->used += state.space;
  if (!S_ISDIR(state.mode)) return 0;
  int fd = open_directory(above, name);
  if (fd < 0 || names_of(fd, &names)) {
    if (fd >= 0) close(fd);
    return -1;
  }
  int failed = 0;
  uint64_t top = path_push(w->here, name);
  for EACH_NAME (below, names) failed |= newer(w, fd, below, device, depth + 1) != 0;
  path_pop(w->here, top);
  names_drop(&names);
  close(fd);
  return failed;
}

int is_changed(const struct store *s, const struct state *now) {
  const int by_name = !S_ISDIR(now->mode) && now->links > 1;
  return is_fresh(s, now) && (!by_name || moment(now->mtime, now->mtime_ns) >= s->started);
}

int tree_is_changed(const struct store *s, int above, const char *name) {
  struct id id;
  struct state state;
  struct names names;
  int fd = open_directory(above, name);
  if (fd < 0 || look(fd, "", 0, &id, &state) || names_of(fd, &names)) return fd < 0 ? -1 : (close(fd), -1);
  /* Its time of writing shows names that came or went. Moving the directory itself does not change that time. */
  int changed = moment(state.mtime, state.mtime_ns) >= s->started;
  for EACH_NAME (below, names) {
    if (!changed)
      changed = look(fd, below, 0, &id, &state) ? -1 : S_ISDIR(state.mode) ? tree_is_changed(s, fd, below)
          : is_changed(s, &state);
  }
  names_drop(&names);
  close(fd);
  return changed;
}

static int check(struct walk *w, int upper, int lower, uint64_t device) {
  struct names names;
  struct view v;
  struct id id;
  struct state above;
  if (names_of(upper, &names) || look(lower, "", 0, &id, &above)) return -1;
  int failed = 0;
  for EACH_NAME (name, names) {
    if (judge(upper, lower, name, &v)) {
      failed = 1;
      continue;
    }
    if (v.verdict == SAME) continue;
    if (v.verdict == MERGED) {
      int u = open_directory(upper, name), l = open_directory(lower, name);
      uint64_t top = path_push(w->here, name);
      if (v.lower_id.dev != device) conflict(w, "", "on another file system");
      else if (is_fresh(w->store, &v.lower) && is_set_anew(w, &v, upper, lower, name)) conflict(w, "", "changed since");
      else failed |= u < 0 || l < 0 || check(w, u, l, device);
      path_pop(w->here, top);
      if (u >= 0) close(u);
      if (l >= 0) close(l);
    } else if (v.has_lower) failed |= newer(w, lower, name, device, 0) != 0;
    else if (v.verdict == GONE) conflict(w, name, "gone since");
    else if (v.from_before && is_fresh(w->store, &above)) conflict(w, name, "its directory changed since");
  }
  names_drop(&names);
  return failed ? -1 : 0;
}

int find_conflicts(struct path *here, int upper, int lower, struct store *s, uint32_t *count) {
  struct id id;
  struct state state;
  struct view root;
  static struct walk w;
  w = (struct walk){.here = here, .store = s, .began = s->started};
  int failed = look(lower, "", 0, &id, &state);
  if (!failed && is_fresh(s, &state) && is_root_set_anew(&w, &root, upper, lower)) conflict(&w, "", "changed since");
  failed = failed || check(&w, upper, lower, id.dev);
  output_flush(&w.out);
  *count = w.found;
  return failed ? -1 : 0;
}

static unsigned long long changed_at(const struct state *s) { return moment(s->ctime, s->ctime_ns); }

static void tell_left(struct output *out, const struct store *s, const char *verb, uint32_t parent, const char *name,
    const struct id *id,
                 const struct state *now, const struct state *was, const struct node *before) {
  static char path[1 << 14];
  char facts[200];
  const char *kind = S_ISREG(now->mode) ? "f" : S_ISDIR(now->mode) ? "d" : S_ISLNK(now->mode) ? "l" : "o";
  path_of(s, parent, name, path, sizeof path);
  snprintf(facts, sizeof facts, "%s %llu %llu %llu %llu %llu %llu %llu", kind, (unsigned long long)id->dev,
      (unsigned long long)id->ino,
           changed_at(now), was ? changed_at(was) : 0, before ? (unsigned long long)before->id.dev : 0,
           before ? (unsigned long long)before->id.ino : 0, before ? changed_at(&before->was) : 0);
  output_put(out, verb);
  output_put(out, path);
  output_put(out, facts);
}

/* In a directory that its owner closed nothing can be looked at, and the action may have changed anything. */
static void tell_hidden(struct output *out, const struct store *s, uint32_t parent, const char *name) {
  static const struct id nobody;
  static const struct state unknown;
  tell_left(out, s, "changed", parent, name, &nobody, &unknown, NULL, NULL);
}

void tell_names(struct store *s) {
  static struct output out;
  locate(s);
  for (uint32_t i = 1; i <= s->entry_count; i++) {
    const struct entry *e = &s->entries[i];
    if (is_hidden(s, e->parent)) {
      tell_hidden(&out, s, e->parent, e->name);
      continue;
    }
    if (!e->now.ino || !s->nodes[e->parent].at_name || (e->node && same_id(&e->now, &s->nodes[e->node].id))) continue;
    uint32_t known = find_node(s, &e->now);
    int final = e->flags & FINAL && same_id(&e->now, &e->end);
    const struct state *was = known && e->now.born <= s->started ? &s->nodes[known].was : NULL;
    tell_left(&out, s, e->now.born > s->started ? "made" : "moved", e->parent, e->name, &e->now, final ? &e->end_state
        : &e->now_state, was,
         e->node ? &s->nodes[e->node] : NULL);
  }
  for (uint32_t i = 1; i <= s->node_count; i++) {
    const struct node *n = &s->nodes[i];
    if (!n->at_name && n->name && !S_ISDIR(n->was.mode) && n->flags & (COPIED | META) && is_hidden(s, n->parent))
      tell_hidden(&out, s, n->parent, n->name);
    if (!n->at_name || S_ISDIR(n->was.mode) || !(n->flags & (COPIED | META)) || n->id.born > s->started) continue;
    const struct state *now = n->flags & FINAL ? &n->end : &n->now;
    if (!same_time(now, &n->was)) tell_left(&out, s, "changed", n->at_parent, n->at_name, &n->is, now, &n->was, NULL);
  }
  output_flush(&out);
}
