/*
 * aish-sandbox --changes STORE --tree DIR...   what a trial would change: `kind type mode size links flags NUL path NUL`
 *
 * kind: A made, D gone, M other content or another thing, P mode, owner, times or attributes alone. type: f d l o.
 * flags: s, a file that goes has other names, which stay. X instead of a kind: the trial can't show it.
 */
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_SAID = 50 };

static char out[1 << 15];
static uint64_t out_used;

static void flush_out(void) {
  for (uint64_t at = 0; at < out_used;) {
    ssize_t n = write(1, out + at, out_used - at);
    if (n <= 0) break;
    at += (uint64_t)n;
  }
  out_used = 0;
}

static void put(const char *text) {
  uint64_t n = strlen(text) + 1;
  if (out_used + n > sizeof out) flush_out();
  for (; n > sizeof out; n -= sizeof out, text += sizeof out)
    if (write(1, text, sizeof out) < 0) return;
  memcpy(out + out_used, text, n);
  out_used += n;
}

static void tell(const char *kind, const struct state *s, const char *flags, const char *name) {
  char line[120];
  const uint32_t type = s->mode & S_IFMT;
  const char *word = type == S_IFREG ? "f" : type == S_IFDIR ? "d" : type == S_IFLNK ? "l" : "o";
  snprintf(line, sizeof line, "%s %s %d %llu %d %s", kind, word, (int)(s->mode & 07777),
           (unsigned long long)(type == S_IFDIR ? 0 : s->size), (int)s->links, flags);
  uint64_t top = path_push(name);
  put(line);
  put(path_now);
  path_pop(top);
}

/* All of a tree, from the top down. */
static int tell_tree(const char *kind, int above, const char *name) {
  struct id id;
  struct state state;
  struct names names;
  if (look(above, name, 0, &id, &state)) return errno == ENOENT ? 0 : -1;
  if (S_ISCHR(state.mode) && state.rdev == 0) return 0; /* hides what was below a directory that is gone */
  const int several = S_ISREG(state.mode) && state.links > 1 && *kind == 'D';
  tell(*kind == 'A' && is_marked(above, name, 1) ? "X" : kind, &state, several ? "s" : "-", name);
  if (!S_ISDIR(state.mode)) return 0;
  /* What the trial made is ours to look into, though its command may have taken that right from its owner. */
  char path[48 + NAME_BYTES];
  const int closed = *kind == 'A' && (state.mode & 0500) != 0500 && geteuid() != 0;
  snprintf(path, sizeof path, "/proc/self/fd/%d/%s", above, name);
  if (closed && syscall(SYS_fchmodat, AT_FDCWD, path, (state.mode & 07777) | 0500)) return -1;
  int fd = open_directory(above, name), failed = fd < 0 || names_of(fd, &names);
  uint64_t top = path_push(name);
  if (!failed)
    for EACH_NAME (below, names) failed |= tell_tree(kind, fd, below) != 0;
  path_pop(top);
  if (!failed) names_drop(&names);
  if (fd >= 0) close(fd);
  if (closed && syscall(SYS_fchmodat, AT_FDCWD, path, state.mode & 07777)) failed = 1;
  return failed ? -1 : 0;
}

static uint64_t began; /* nanoseconds */

/* Names that come and go leave the time of that moment, which is no news beside them; any other was set. */
static int has_times_set(const struct view *v) {
  const uint64_t is = moment(v->upper.mtime, v->upper.mtime_ns);
  if (v->upper.mtime == v->lower.mtime && v->upper.mtime_ns == v->lower.mtime_ns) return 0;
  return is < began || is > moment(v->upper.ctime, v->upper.ctime_ns);
}

/* Of directories on both sides: whether the trial made something of it besides its names. */
static int is_set_anew(const struct view *v, int upper, int lower, const char *name) {
  return (v->upper.mode ^ v->lower.mode) & 07777 || v->upper.uid != v->lower.uid || v->upper.gid != v->lower.gid || has_times_set(v) || !same_attributes(upper, lower, name);
}

/* The same of a tree's own root. Somebody else's, /tmp mostly, is not ours to set. */
static int is_root_set_anew(struct view *v, int upper, int lower) {
  if (look(upper, "", 0, &v->upper_id, &v->upper) || look(lower, "", 0, &v->lower_id, &v->lower)) return 0;
  return (geteuid() == 0 || v->lower.uid == geteuid()) && is_set_anew(v, upper, lower, "");
}

/* `d` became another `d`: what is the same in both is no change. */
static int list(int upper, int lower, int opaque) {
  struct names names;
  struct view v;
  if (names_of(upper, &names)) return -1;
  int failed = 0;
  for EACH_NAME (name, names) {
    if (judge(upper, lower, name, &v)) {
      failed = 1;
      continue;
    }
    int u, l;
    switch (v.verdict) {
      case GONE:
        if (v.has_lower) failed |= tell_tree("D", lower, name) != 0;
        break;
      case NEW:
        failed |= tell_tree("A", upper, name) != 0;
        break;
      case WRITTEN:
        tell("M", &v.upper, "-", name);
        break;
      case STATE_ONLY:
      case NAMED:
        tell("P", &v.upper, "-", name);
        break;
      case REPLACED:
        if (S_ISDIR(v.upper.mode) && S_ISDIR(v.lower.mode)) {
          u = open_directory(upper, name);
          l = open_directory(lower, name);
          uint64_t top = path_push(name);
          failed |= u < 0 || l < 0 || list(u, l, 1);
          path_pop(top);
          if (u >= 0) close(u);
          if (l >= 0) close(l);
        } else if (S_ISDIR(v.upper.mode) || S_ISDIR(v.lower.mode)) {
          failed |= tell_tree("D", lower, name) || tell_tree("A", upper, name);
        } else tell("M", &v.upper, "-", name);
        break;
      case MERGED:
        if (is_set_anew(&v, upper, lower, name)) tell("P", &v.upper, "-", name);
        u = open_directory(upper, name);
        l = open_directory(lower, name);
        uint64_t top = path_push(name);
        failed |= u < 0 || l < 0 || list(u, l, 0);
        path_pop(top);
        if (u >= 0) close(u);
        if (l >= 0) close(l);
        break;
      case MARKED:
        tell("X", &v.upper, "-", name);
        break;
      case SAME:
        break;
    }
  }
  names_drop(&names);
  if (failed || !opaque) return failed ? -1 : 0;
  if (names_of(lower, &names)) return -1;
  for EACH_NAME (gone, names)
    if (look(upper, gone, 0, &v.upper_id, &v.upper)) failed |= tell_tree("D", lower, gone) != 0;
  names_drop(&names);
  return failed ? -1 : 0;
}

static struct store *store; /* whose beginning is that of the trial */
static uint32_t found;

static void conflict(const char *name, const char *why) {
  if (found++ >= MAX_SAID) return;
  uint64_t top = path_push(name);
  put("conflict");
  put(path_now);
  put(why);
  path_pop(top);
}

static int is_fresh(const struct state *s) { return moment(s->ctime, s->ctime_ns) >= store->started; }

/* Anything at or below a name that goes, changed since? What a directory holds goes with it. */
static int newer(int above, const char *name, uint64_t device, int depth) {
  struct id id;
  struct state state;
  struct names names;
  if (look(above, name, 0, &id, &state)) return errno == ENOENT ? 0 : -1;
  if (id.dev != device) return conflict(name, "on another file system"), 0;
  if (is_fresh(&state)) conflict(name, "changed since");
  store->inside += depth > 0;
  if (depth && state.links == 1) store->used += state.space;
  if (!S_ISDIR(state.mode)) return 0;
  int fd = open_directory(above, name);
  if (fd < 0 || names_of(fd, &names)) {
    if (fd >= 0) close(fd);
    return -1;
  }
  int failed = 0;
  uint64_t top = path_push(name);
  for EACH_NAME (below, names) failed |= newer(fd, below, device, depth + 1) != 0;
  path_pop(top);
  names_drop(&names);
  close(fd);
  return failed;
}

int is_changed(const struct state *now) {
  const int by_name = !S_ISDIR(now->mode) && now->links > 1;
  return is_fresh(now) && (!by_name || moment(now->mtime, now->mtime_ns) >= store->started);
}

int tree_is_changed(int above, const char *name) {
  struct id id;
  struct state state;
  struct names names;
  int fd = open_directory(above, name);
  if (fd < 0 || look(fd, "", 0, &id, &state) || names_of(fd, &names)) return fd < 0 ? -1 : (close(fd), -1);
  /* Names that came or went in it; moving it is no such change. */
  int changed = moment(state.mtime, state.mtime_ns) >= store->started;
  for EACH_NAME (below, names) {
    if (!changed) changed = look(fd, below, 0, &id, &state) ? -1 : S_ISDIR(state.mode) ? tree_is_changed(fd, below) : is_changed(&state);
  }
  names_drop(&names);
  close(fd);
  return changed;
}

static int check(int upper, int lower, uint64_t device) {
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
      uint64_t top = path_push(name);
      if (v.lower_id.dev != device) conflict("", "on another file system");
      else if (is_fresh(&v.lower) && is_set_anew(&v, upper, lower, name)) conflict("", "changed since");
      else failed |= u < 0 || l < 0 || check(u, l, device);
      path_pop(top);
      if (u >= 0) close(u);
      if (l >= 0) close(l);
    } else if (v.has_lower) failed |= newer(lower, name, device, 0) != 0;
    else if (v.verdict == GONE) conflict(name, "gone since");
    else if (v.from_before && is_fresh(&above)) conflict(name, "its directory changed since");
  }
  names_drop(&names);
  return failed ? -1 : 0;
}

int find_conflicts(int upper, int lower, struct store *s, uint32_t *count) {
  struct id id;
  struct state state;
  store = s;
  began = s->started;
  found = 0;
  struct view root;
  int failed = look(lower, "", 0, &id, &state);
  if (!failed && is_fresh(&state) && is_root_set_anew(&root, upper, lower)) conflict("", "changed since");
  failed = failed || check(upper, lower, id.dev);
  flush_out();
  *count = found;
  return failed ? -1 : 0;
}

int list_changes(int argc, char **argv) {
  char path[4096];
  struct id id;
  int failed = argc < 5 || (snprintf(path, sizeof path, "%s/trial", argv[2]), look(AT_FDCWD, path, 0, &id, NULL)), number = 0;
  began = failed ? 0 : id.born;
  for (int i = 3; !failed && i + 1 < argc; i += 2, number++) {
    if (strcmp(argv[i], "--tree")) failed = 1;
    snprintf(path, sizeof path, "%s/trial/upper%d", argv[2], number);
    int upper = open_directory(AT_FDCWD, path), lower = open_directory(AT_FDCWD, argv[i + 1]);
    failed = failed || upper < 0 || lower < 0;
    struct view root = {0};
    if (!failed && is_root_set_anew(&root, upper, lower)) tell("P", &root.upper, "-", argv[i + 1]);
    if (!failed && (is_marked(upper, "", 1) || is_marked(lower, "", 0))) tell("X", &root.upper, "-", argv[i + 1]);
    path_push(argv[i + 1]);
    failed = failed || list(upper, lower, 0);
    path_pop(0);
  }
  flush_out();
  if (!failed) return 0;
  dprintf(2, "aish-sandbox: changes: %s\n", strerror(errno ? errno : EINVAL));
  return EXIT_SETUP;
}

/* One name in the upper directory of a trial: what the command made of it. */

char path_now[MAX_PATH];
static uint64_t path_length;

uint64_t path_push(const char *name) {
  uint64_t was = path_length, n = strlen(name);
  if (path_length + n + 2 > sizeof path_now) return was;
  if (path_length || *name != '/') path_now[path_length++] = '/';
  memcpy(path_now + path_length, name, n + 1);
  path_length += n;
  return was;
}

void path_pop(uint64_t to) {
  path_length = to;
  path_now[to] = 0;
}

int names_of(int directory, struct names *names) {
  static char buffer[1 << 15] __attribute__((aligned(8)));
  *names = (struct names){NULL, 0, 0};
  int list = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (list < 0) return -1;
  long got;
  while ((got = syscall(SYS_getdents64, list, buffer, sizeof buffer)) > 0)
    for (long at = 0; at < got; at += *(const unsigned short *)(buffer + at + 16)) {
      const char *name = buffer + at + 19;
      uint64_t n = strlen(name) + 1;
      if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
      if (names->used + n > names->size) {
        uint64_t size = names->size ? names->size * 4 : 1 << 14;
        char *larger = arena(size);
        if (!larger) return close(list), errno = ENOMEM, -1;
        memcpy(larger, names->text, names->used);
        uint64_t used = names->used;
        names_drop(names);
        *names = (struct names){larger, used, size};
      }
      memcpy(names->text + names->used, name, n);
      names->used += n;
    }
  close(list);
  return got < 0 ? -1 : 0;
}

void names_drop(struct names *names) {
  if (names->text) syscall(SYS_munmap, names->text, names->size);
  *names = (struct names){NULL, 0, 0};
}

int open_directory(int above, const char *name) {
  return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static void below(int directory, const char *name, char to[48 + NAME_BYTES]) {
  snprintf(to, 48 + NAME_BYTES, *name ? "/proc/self/fd/%d/%s" : "/proc/self/fd/%d", directory, name);
}

int is_private(const char *attribute) { return !strncmp(attribute, "user.overlay.", 13) || !strncmp(attribute, "trusted.overlay.", 16); }

int is_opaque(int directory) {
  char path[48 + NAME_BYTES], value[8];
  below(directory, "", path);
  return syscall(SYS_getxattr, path, "user.overlay.opaque", value, sizeof value) > 0 && value[0] == 'y';
}

/* Marks what was copied up, even where the overlay may not note from what. Never of a file with several names. */
static int has_origin(int upper, const char *name) {
  char path[48 + NAME_BYTES], value[200];
  below(upper, name, path);
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
  char path[48 + NAME_BYTES];
  below(directory, name, path);
  return syscall(*name ? SYS_llistxattr : SYS_listxattr, path, list, size);
}

static long value_of(int directory, const char *name, const char *item, char *value, long size) {
  char path[48 + NAME_BYTES];
  below(directory, name, path);
  return syscall(*name ? SYS_lgetxattr : SYS_getxattr, path, item, value, size);
}

/* Not the overlay's own, nor the system's label, which each file system gives by its own rules. */
static int is_of_file(const char *attribute) { return !is_private(attribute) && strcmp(attribute, "security.selinux"); }

static int count_of(const char *list, long size) {
  int count = 0;
  for (const char *item = list; item < list + size; item += strlen(item) + 1) count += is_of_file(item);
  return count;
}

int same_attributes(int upper, int lower, const char *name) {
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

int is_marked(int directory, const char *name, int in_upper) {
  static const char *const stored[] = {"user.overlay.overlay.", "trusted.overlay.overlay."};
  static char list[1 << 16];
  long n = list_attributes(directory, name, list, sizeof list);
  for (const char *item = list; item < list + n; item += strlen(item) + 1)
    if (in_upper ? !strncmp(item, stored[0], strlen(stored[0])) || !strncmp(item, stored[1], strlen(stored[1])) : is_private(item)) return 1;
  return 0;
}

static int same_state(const struct state *a, const struct state *b) {
  return a->mode == b->mode && a->uid == b->uid && a->gid == b->gid && a->mtime == b->mtime && a->mtime_ns == b->mtime_ns;
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
  /* What changes one of several names is noted while it happens, and can't be told: so this one was made anew. */
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

/*
 * What an action left: the names that stand for something else than before, and the files that were changed in place.
 * Prints `made`, `moved` or `changed`, the path, and `KIND DEV INO CTIME WAS DEV INO CTIME`, each with a NUL behind it: the
 * kind is f(ile), d(irectory), l(ink) or o(ther), WAS the time of change before the action, the rest what stood under this
 * name before; times in nanoseconds, 0 where there was nothing. `made` is what the action itself made; `moved` is older, and
 * has got this name. What can't be looked at any more is told as `changed`, of no kind and no time.
 */

static char name_out[1 << 15];
static uint64_t name_used;

static void flush_names(void) {
  for (uint64_t at = 0; at < name_used;) {
    ssize_t n = write(1, name_out + at, name_used - at);
    if (n <= 0) break;
    at += (uint64_t)n;
  }
  name_used = 0;
}

static void put_name(const char *text) {
  uint64_t n = strlen(text) + 1;
  if (n > sizeof name_out) return;
  if (name_used + n > sizeof name_out) flush_names();
  memcpy(name_out + name_used, text, n);
  name_used += n;
}

static unsigned long long changed_at(const struct state *s) { return moment(s->ctime, s->ctime_ns); }

static void tell_name(const struct store *s, const char *verb, uint32_t parent, const char *name, const struct id *id,
                 const struct state *now, const struct state *was, const struct node *before) {
  static char path[1 << 14];
  char facts[200];
  const char *kind = S_ISREG(now->mode) ? "f" : S_ISDIR(now->mode) ? "d" : S_ISLNK(now->mode) ? "l" : "o";
  path_of(s, parent, name, path, sizeof path);
  snprintf(facts, sizeof facts, "%s %llu %llu %llu %llu %llu %llu %llu", kind, (unsigned long long)id->dev, (unsigned long long)id->ino,
           changed_at(now), was ? changed_at(was) : 0, before ? (unsigned long long)before->id.dev : 0,
           before ? (unsigned long long)before->id.ino : 0, before ? changed_at(&before->was) : 0);
  put_name(verb);
  put_name(path);
  put_name(facts);
}

/* Below a directory that its owner has closed nothing can be looked at, and the action may have done anything. */
static void tell_hidden(const struct store *s, uint32_t parent, const char *name) {
  static const struct id nobody;
  static const struct state unknown;
  tell_name(s, "changed", parent, name, &nobody, &unknown, NULL, NULL);
}

void tell_names(struct store *s) {
  locate(s);
  for (uint32_t i = 1; i <= s->entry_count; i++) {
    const struct entry *e = &s->entries[i];
    if (is_hidden(s, e->parent)) {
      tell_hidden(s, e->parent, e->name);
      continue;
    }
    if (!e->now.ino || !s->nodes[e->parent].at_name || (e->node && same_id(&e->now, &s->nodes[e->node].id))) continue;
    uint32_t known = find_node(s, &e->now);
    int final = e->flags & FINAL && same_id(&e->now, &e->end);
    const struct state *was = known && e->now.born <= s->started ? &s->nodes[known].was : NULL;
    tell_name(s, e->now.born > s->started ? "made" : "moved", e->parent, e->name, &e->now, final ? &e->end_state : &e->now_state, was,
         e->node ? &s->nodes[e->node] : NULL);
  }
  for (uint32_t i = 1; i <= s->node_count; i++) {
    const struct node *n = &s->nodes[i];
    if (!n->at_name && n->name && !S_ISDIR(n->was.mode) && n->flags & (COPIED | META) && is_hidden(s, n->parent)) tell_hidden(s, n->parent, n->name);
    if (!n->at_name || S_ISDIR(n->was.mode) || !(n->flags & (COPIED | META)) || n->id.born > s->started) continue;
    const struct state *now = n->flags & FINAL ? &n->end : &n->now;
    if (!same_time(now, &n->was)) tell_name(s, "changed", n->at_parent, n->at_name, &n->is, now, &n->was, NULL);
  }
  flush_names();
}
