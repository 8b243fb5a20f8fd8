/*
 * aish-sandbox --apply STORE --check --tree DIR...   says what changed since the trial began, and does nothing
 * aish-sandbox --apply STORE --tree DIR...           makes the trial's changes, and keeps in STORE what it replaces
 *   … --as TEXT                                      first makes an action with the record TEXT of the trial, and
 *                                                    removes the trial's own files afterwards
 *
 * Trees are applied from the top down, by descriptors of directories and without following links. Each step is in the
 * journal before it begins, and takes one call: a file is renamed over the old one, a directory is exchanged with the
 * old one, a removed file is moved into the store. So a path always has its old or its new file, and a journal without
 * an end is undone like any action.
 *
 * Exit code 0: everything was applied; 1: something changed since the trial began, and nothing was done; 2: a step
 * failed, and the finished steps must be undone; 126: nothing was done, with one line of explanation.
 */
#include "apply.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>


static struct store applied;
static struct path here;
static char failed_at[1024];

int fail_here(void) {
  int why = errno;
  if (!*failed_at) snprintf(failed_at, sizeof failed_at, "%s: %s", here.text, why == ESTALE ? "it was changed meanwhile" : strerror(why));
  errno = why;
  return -1;
}

static int is_dir(const struct state *s) { return S_ISDIR(s->mode); }

/* An owner may have made a directory read-only; its mode is set at the end. */
static int make_writable(int directory, const char *name, const struct state *now) {
  char path[FD_PATH];
  if ((now->mode & 0300) == 0300 || geteuid() == 0 || now->uid != geteuid()) return 0;
  path_in(directory, name, path);
  if (keep_state(&applied, directory, name, STATUS)) return -1;
  return syscall(SYS_fchmodat, AT_FDCWD, path, (now->mode & 07777) | 0700) ? -1 : 1;
}

int still(int directory, const char *name, const struct id *id, const struct state *was) {
  struct id found;
  struct state now;
  if (look(directory, name, 0, &found, &now)) return errno == ENOENT ? (errno = ESTALE, -1) : -1;
  if (same_id(&found, id) && now.size == was->size && now.mtime == was->mtime && now.mtime_ns == was->mtime_ns) return 0;
  return errno = ESTALE, -1;
}

/* One by one, where the store is on another file system. */
static int take_tree(int lower, const char *name) {
  struct names names;
  struct id id;
  struct state state;
  if (look(lower, name, 0, &id, &state) || keep_name(&applied, lower, name, NULL)) return -1;
  if (!is_dir(&state) && is_changed(&applied, &state)) return errno = ESTALE, -1;
  if (!is_dir(&state)) return keep_inode(&applied, lower, name) || still(lower, name, &id, &state) || syscall(SYS_unlinkat, lower, name, 0) ? -1 : 0;
  int fd = make_writable(lower, name, &state) < 0 ? -1 : open_directory(lower, name);
  if (fd < 0 || names_of(fd, &names)) return fd < 0 ? -1 : (close(fd), -1);
  int failed = 0;
  for EACH_NAME (below, names) failed = failed || take_tree(fd, below);
  names_drop(&names);
  close(fd);
  return failed || syscall(SYS_unlinkat, lower, name, AT_REMOVEDIR) ? -1 : 0;
}

/* A directory that was moved into the store: nobody can reach it by its name any more. */
static int moved_whole(const char *made) {
  int changed = tree_is_changed(&applied, applied.trash, made);
  return changed > 0 ? (errno = ESTALE, -1) : changed;
}

static int take_away(int lower, const char *name, const struct state *state) {
  char number[12];
  if (!is_dir(state)) return take_tree(lower, name);
  const char *made;
  if (make_writable(lower, name, state) < 0 || keep_name(&applied, lower, name, NULL) || !(made = fresh_name(&applied, number))) return -1;
  if (syscall(SYS_renameat2, lower, name, applied.trash, made, NOREPLACE) == 0) {
    if (!moved_whole(made)) return 0;
    syscall(SYS_renameat2, applied.trash, made, lower, name, NOREPLACE);
    return errno = ESTALE, -1;
  }
  return errno == EXDEV ? take_tree(lower, name) : -1;
}

static int place(int upper, int lower, const char *name, const struct view *v) {
  char number[12];
  const char *made;
  if (settle_new(upper, name) || loosen(upper, name, &v->upper)) return -1; /* a directory moves only if it is writable */
  if (!v->has_lower) {
    if (keep_name(&applied, lower, name, NULL)) return -1;
    if (syscall(SYS_renameat2, upper, name, lower, name, NOREPLACE) == 0) return is_dir(&v->upper) ? set_mode(lower, name, &v->upper) : 0;
    return errno == EXDEV ? copy_tree(upper, lower, name) : -1;
  }
  if (is_dir(&v->lower) && make_writable(lower, name, &v->lower) < 0) return -1;
  if (keep_name(&applied, lower, name, NULL) || (!is_dir(&v->lower) && keep_inode(&applied, lower, name))) return -1;
  if (!is_dir(&v->upper) && !is_dir(&v->lower)) {
    if (still(lower, name, &v->lower_id, &v->lower)) return -1;
    if (syscall(SYS_renameat2, upper, name, lower, name, 0) == 0) return 0;
    return errno == EXDEV ? copy_over(upper, lower, name, v) : -1;
  }
  if (!(made = fresh_name(&applied, number)) || syscall(SYS_renameat2, upper, name, applied.trash, made, NOREPLACE)) return -1;
  if (syscall(SYS_renameat2, applied.trash, made, lower, name, EXCHANGE) == 0) {
    if (is_dir(&v->lower) ? moved_whole(made) : still(applied.trash, made, &v->lower_id, &v->lower)) {
      syscall(SYS_renameat2, applied.trash, made, lower, name, EXCHANGE);
      return errno = ESTALE, -1;
    }
    if (!is_dir(&v->lower)) syscall(SYS_unlinkat, applied.trash, made, 0);
    return set_mode(lower, name, &v->upper);
  }
  if (errno != EXDEV || syscall(SYS_renameat2, applied.trash, made, upper, name, NOREPLACE)) return -1;
  return take_tree(lower, name) || copy_tree(upper, lower, name) ? -1 : 0;
}

static int was_changed(const struct view *v, const struct state *above) {
  if (v->has_lower) return is_changed(&applied, &v->lower);
  return v->verdict == GONE || (v->from_before && is_changed(&applied, above));
}

static int walk(int upper, int lower) {
  struct names names;
  struct view v;
  struct id id;
  struct state state, is;
  if (look(upper, "", 0, &id, &is) || look(lower, "", 0, &id, &state) || loosen(upper, "", &is) || names_of(upper, &names)) return fail_here();
  int eased = 0, failed = 0;
  for EACH_NAME (name, names) {
    uint64_t top = path_push(&here, name);
    int step = judge(upper, lower, name, &v);
    /* Everything was checked before the first step; this finds what somebody saved since then. */
    if (!step && v.verdict != SAME && v.verdict != MERGED && was_changed(&v, &state)) step = (errno = ESTALE, -1);
    if (!step && v.verdict != SAME && v.verdict != MERGED && !eased) step = (eased = make_writable(lower, "", &state)) < 0;
    if (!step) switch (v.verdict) {
        case SAME:
          break;
        case MARKED:
          errno = EOPNOTSUPP;
          step = -1;
          break;
        case GONE:
          step = v.has_lower ? take_away(lower, name, &v.lower) : 0;
          break;
        case STATE_ONLY:
          step = copy_state(upper, lower, name, NULL);
          break;
        case MERGED: {
          int u = open_directory(upper, name), l = open_directory(lower, name);
          step = u < 0 || l < 0 || v.lower_id.dev != id.dev || walk(u, l);
          if (u >= 0) close(u);
          if (l >= 0) close(l);
          break;
        }
        default:
          step = place(upper, lower, name, &v);
      }
    if (step) failed = fail_here();
    path_pop(&here, top);
    if (failed) break;
  }
  names_drop(&names);
  if (failed) return -1;
  /* Sets mode, owner and times as the command left them: after the names, which change the times. */
  return copy_state(upper, lower, "", &is) ? fail_here() : 0;
}

/* The clock of files, nanoseconds. It stands still for some milliseconds at a time. */
static uint64_t file_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return moment(now.tv_sec, (uint32_t)now.tv_nsec);
}

/* What the trial wrote is older, and what is written from now on is not. */
static uint64_t next_tick(uint64_t tick) {
  for (uint64_t now;; poll(NULL, 0, 1))
    if ((now = file_clock()) != tick) return now;
}

static int give_up(const char *what) {
  dprintf(2, "aish-sandbox: %s: %s\n", what, strerror(errno ? errno : EINVAL));
  return EXIT_SETUP;
}

int apply_trial(int argc, char **argv) {
  int uppers[MAX_TREES], lowers[MAX_TREES], trees = 0;
  char path[4096];
  raise_file_limit();
  const uint64_t clock = file_clock();
  keeping = &applied;
  if (store_open(&applied, argv[2], 1)) return give_up(argv[2]);
  errno = EEXIST;
  if (applied.entry_count || applied.ended) return give_up(argv[2]); /* begun before: it is to be undone */
  int above = openat(applied.vault, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (above < 0 || !keep_directory(&applied, above)) return give_up(argv[2]);
  close(above);
  uint32_t conflicts, all = 0;
  const int only_check = !strcmp(argv[3], "--check"), as = !strcmp(argv[3], "--as");
  const int first = as ? 5 : only_check ? 4 : 3;
  for (int i = first; i + 1 < argc && trees < MAX_TREES; i += 2, trees++) {
    errno = EINVAL;
    if (strcmp(argv[i], "--tree") || snprintf(path, sizeof path, "%s/trial/upper%d", argv[2], trees) >= (int)sizeof path - 1) return give_up(argv[i]);
    uppers[trees] = open_directory(AT_FDCWD, path);
    lowers[trees] = openat(AT_FDCWD, argv[i + 1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (uppers[trees] < 0 || lowers[trees] < 0) return give_up(argv[i + 1]);
    path_push(&here, argv[i + 1]);
    if (find_conflicts(&here, uppers[trees], lowers[trees], &applied, &conflicts)) return give_up(here.text);
    path_pop(&here, 0);
    all += conflicts;
  }
  if (all || only_check) return all ? 1 : 0;
  snprintf(path, sizeof path, "%s/action.json", argv[2]);
  if (as && put_text(path, argv[4])) return give_up(path);
  const struct id began = {0, 0, applied.applies = next_tick(clock)};
  int failed = store_write(&applied, R_APPLY, 0, &began, NULL, NULL, NULL, 0) ? fail_here() : 0;
  for (int i = 0; i < trees && !failed; i++) {
    path_push(&here, argv[first + 1 + 2 * i]);
    failed = walk(uppers[i], lowers[i]);
    path_pop(&here, 0);
  }
  if (!failed && store_finish_apply(&applied)) failed = fail_here();
  snprintf(path, sizeof path, "%s/trial", argv[2]);
  if (!failed && as) drop_all(path);
  if (!failed) return 0;
  dprintf(2, "aish-sandbox: %s\n", *failed_at ? failed_at : strerror(errno));
  return 2;
}
