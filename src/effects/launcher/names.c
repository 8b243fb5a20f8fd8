/*
 * What an action left: the names that stand for something else than before, and the files that were changed in place.
 * Prints `made`, `moved` or `changed`, the path, and `KIND DEV INO CTIME WAS DEV INO CTIME`, each with a NUL behind it: the
 * kind is f(ile), d(irectory), l(ink) or o(ther), WAS the time of change before the action, the rest what stood under this
 * name before; times in nanoseconds, 0 where there was nothing. `made` is what the action itself made; `moved` is older, and
 * has got this name. What can't be looked at any more is told as `changed`, of no kind and no time.
 */
#include "store.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char out[1 << 15];
static uint64_t used;

static void flush(void) {
  for (uint64_t at = 0; at < used;) {
    ssize_t n = write(1, out + at, used - at);
    if (n <= 0) break;
    at += (uint64_t)n;
  }
  used = 0;
}

static void put(const char *text) {
  uint64_t n = strlen(text) + 1;
  if (n > sizeof out) return;
  if (used + n > sizeof out) flush();
  memcpy(out + used, text, n);
  used += n;
}

static unsigned long long changed_at(const struct state *s) { return moment(s->ctime, s->ctime_ns); }

static void tell(const struct store *s, const char *verb, uint32_t parent, const char *name, const struct id *id,
                 const struct state *now, const struct state *was, const struct node *before) {
  static char path[1 << 14];
  char facts[200];
  const char *kind = S_ISREG(now->mode) ? "f" : S_ISDIR(now->mode) ? "d" : S_ISLNK(now->mode) ? "l" : "o";
  path_of(s, parent, name, path, sizeof path);
  snprintf(facts, sizeof facts, "%s %llu %llu %llu %llu %llu %llu %llu", kind, (unsigned long long)id->dev, (unsigned long long)id->ino,
           changed_at(now), was ? changed_at(was) : 0, before ? (unsigned long long)before->id.dev : 0,
           before ? (unsigned long long)before->id.ino : 0, before ? changed_at(&before->was) : 0);
  put(verb);
  put(path);
  put(facts);
}

/* Below a directory that its owner has closed nothing can be looked at, and the action may have done anything. */
static void tell_hidden(const struct store *s, uint32_t parent, const char *name) {
  static const struct id nobody;
  static const struct state unknown;
  tell(s, "changed", parent, name, &nobody, &unknown, NULL, NULL);
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
    tell(s, e->now.born > s->started ? "made" : "moved", e->parent, e->name, &e->now, final ? &e->end_state : &e->now_state, was,
         e->node ? &s->nodes[e->node] : NULL);
  }
  for (uint32_t i = 1; i <= s->node_count; i++) {
    const struct node *n = &s->nodes[i];
    if (!n->at_name && n->name && !S_ISDIR(n->was.mode) && n->flags & (COPIED | META) && is_hidden(s, n->parent)) tell_hidden(s, n->parent, n->name);
    if (!n->at_name || S_ISDIR(n->was.mode) || !(n->flags & (COPIED | META)) || n->id.born > s->started) continue;
    const struct state *now = n->flags & FINAL ? &n->end : &n->now;
    if (!same_time(now, &n->was)) tell(s, "changed", n->at_parent, n->at_name, &n->is, now, &n->was, NULL);
  }
  flush();
}
