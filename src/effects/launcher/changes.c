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
