/* Pairs of a file that an undo made again, or whose time it changed, and the file that it stands for. They are kept
 * in `equal` beside the stores, so that an earlier action can still be undone after a later one was. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct pair {
  struct id now, old;
  uint64_t since; /* the start of the undo; for actions that began later, `now` is the file itself */
  int64_t now_time, old_time;
  uint32_t now_ns, old_ns;
};

enum { MAX_PAIRS = 1 << 20, SLOTS = 1 << 21, MAX_STEPS = 64 };
static struct pair *pairs;
static uint32_t count, *slots;

static uint32_t slot_of(const struct id *id) {
  return (uint32_t)((id->ino * 0x9E3779B97F4A7C15ull ^ id->born * 0xC2B2AE3D27D4EB4Full ^ id->dev) >> 20) & (SLOTS - 1);
}

static void remember(const struct pair *p) {
  if (count + 1 >= MAX_PAIRS) return; /* the path is then refused as changed, which is safe */
  pairs[++count] = *p;
  uint32_t at = slot_of(&p->now);
  while (slots[at]) at = (at + 1) & (SLOTS - 1);
  slots[at] = count;
}

int equals_load(int vault, uint64_t since) {
  pairs = arena(sizeof *pairs * (uint64_t)MAX_PAIRS);
  slots = arena(sizeof *slots * (uint64_t)SLOTS);
  if (!pairs || !slots) return -1;
  int fd = openat(vault, "../equal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return errno == ENOENT ? 0 : -1;
  struct pair p;
  while (read(fd, &p, sizeof p) == sizeof p)
    if (p.since > since) remember(&p);
  return close(fd);
}

int equals_add(const struct store *into, const struct id *now, const struct state *now_state, const struct id *old, const struct state *old_state) {
  static int fd = -1;
  struct pair p = {*now, *old, into->started, now_state->ctime, old_state->ctime, now_state->ctime_ns, old_state->ctime_ns};
  if (fd < 0) fd = openat(into->vault, "../equal", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  return fd >= 0 && write(fd, &p, sizeof p) == sizeof p ? 0 : -1;
}

void equals_forget(void) { pairs = NULL; }

int older_id(const struct id *now, struct id *old) {
  if (!pairs) return 0;
  for (uint32_t at = slot_of(now); slots[at]; at = (at + 1) & (SLOTS - 1)) {
    const struct pair *p = &pairs[slots[at]];
    if (!same_id(&p->now, now) || same_id(&p->old, now)) continue;
    *old = p->old;
    return 1;
  }
  return 0;
}

static int same(const struct id *a, int64_t time, uint32_t ns, const struct id *then, const struct state *then_state, int steps) {
  if (same_id(a, then) && time == then_state->ctime && ns == then_state->ctime_ns) return 1;
  if (!pairs || !steps) return 0;
  for (uint32_t at = slot_of(a); slots[at]; at = (at + 1) & (SLOTS - 1)) {
    const struct pair *p = &pairs[slots[at]];
    if (same_id(&p->now, a) && p->now_time == time && p->now_ns == ns &&
        same(&p->old, p->old_time, p->old_ns, then, then_state, steps - 1))
      return 1;
  }
  return 0;
}

int unchanged(const struct id *now, const struct state *now_state, const struct id *then, const struct state *then_state) {
  return same(now, now_state->ctime, now_state->ctime_ns, then, then_state, MAX_STEPS);
}
