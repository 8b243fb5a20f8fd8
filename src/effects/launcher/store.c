/*
 * The store of one action: a directory with a journal, links and copies.
 *
 *   journal   records, each written before the change it belongs to; a torn end is cut off when it is read
 *   l/N       a hard link to an inode that lost a name: the inode lives on, and its number stays taken
 *   c/N       the content of a file before its first change
 *   t/N       what an undo moved out of the way
 *
 * The last three directories are made when something first goes there.
 *
 * The journal says what was, not what was done: what each name stood for, and the content and state of each inode, both
 * when they were first changed. So neither the order of the changes matters, nor whether a call then failed, nor how
 * often an undo starts again.
 */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mman.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A table starts with so many slots and never gets fuller than half. */
enum { FIRST_SLOTS = 1 << 13 };

void *arena(uint64_t size) {
  long at = syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == -1 ? NULL : (void *)at;
}

void drop_arena(void *from, uint64_t size) { syscall(SYS_munmap, from, size); }

const char *decimal(uint32_t number, char *to) {
  char *p = to + 11;
  *p = 0;
  do *--p = (char)('0' + number % 10);
  while (number /= 10);
  return p;
}

uint64_t moment(int64_t seconds, uint32_t ns) { return seconds < 0 ? 0 : (uint64_t)seconds * 1000000000u + ns; }

int same_id(const struct id *a, const struct id *b) {
  return a->ino == b->ino && a->dev == b->dev && a->born == b->born;
}
int same_time(const struct state *a, const struct state *b) {
  return a->ctime == b->ctime && a->ctime_ns == b->ctime_ns;
}

void read_statx(const struct statx *x, struct id *id, struct state *state) {
  *id = (struct id){(uint64_t)x->stx_dev_major << 32 | x->stx_dev_minor, x->stx_ino,
                    x->stx_mask & STATX_BTIME ? moment(x->stx_btime.tv_sec, x->stx_btime.tv_nsec) : 0};
  if (state)
    *state = (struct state){x->stx_mode, x->stx_uid, x->stx_gid, x->stx_nlink, x->stx_size, x->stx_blocks * 512,
                            (uint64_t)x->stx_rdev_major << 32 | x->stx_rdev_minor, x->stx_mtime.tv_sec,
                                x->stx_ctime.tv_sec,
                            x->stx_mtime.tv_nsec, x->stx_ctime.tv_nsec};
}

int look(int directory, const char *name, int follow, struct id *id, struct state *state) {
  struct statx x;
  const int flags = AT_EMPTY_PATH | AT_NO_AUTOMOUNT | (follow ? 0 : AT_SYMLINK_NOFOLLOW);
  if (syscall(SYS_statx, directory, name, flags, STATX_BASIC_STATS | STATX_BTIME, &x)) return -1;
  read_statx(&x, id, state);
  return 0;
}

int look_at(struct store *s, int fd, struct id *id, struct state *state) {
  for (int i = 0; i < 2; i++) {
    const struct glance *g = s->places[i] && s->places[i]->directory == fd ? &s->places[i]->above : NULL;
    if (!g || !g->taken) continue;
    *id = g->id;
    if (state) *state = g->state;
    return 0;
  }
  return look(fd, "", 0, id, state);
}

int look_once(struct store *s, int directory, const char *name, struct id *id, struct state *state) {
  struct glance *g = NULL;
  for (int i = 0; i < 2 && !g; i++)
    if (s->places[i] && s->places[i]->directory == directory && s->places[i]->name == name) g = &s->places[i]->glance;
  if (!g) return look(directory, name, 0, id, state);
  if (!g->taken) g->why = look(directory, name, 0, &g->id, &g->state) ? errno : 0;
  g->taken = 1;
  if (g->why) return errno = g->why, -1;
  *id = g->id;
  if (state) *state = g->state;
  return 0;
}

void path_in(int directory, const char *name, char to[FD_PATH]) {
  snprintf(to, FD_PATH, *name ? "/proc/self/fd/%d/%s" : "/proc/self/fd/%d", directory, name);
}

long path_of_fd(int fd, char *to, uint64_t size) {
  char link[FD_PATH];
  path_in(fd, "", link);
  const long n = syscall(SYS_readlinkat, AT_FDCWD, link, to, size - 1);
  to[n > 0 ? n : 0] = 0;
  return n;
}

void close_quietly(int fd) {
  const int why = errno;
  if (fd >= 0) close(fd);
  errno = why;
}

enum { LISTING_BYTES = 1 << 15 };

int listing_open(struct listing *l, int fd) {
  *l = (struct listing){.fd = fd, .room = fd < 0 ? NULL : arena(LISTING_BYTES)};
  if (l->room) return 0;
  if (fd >= 0) close(fd);
  return -1;
}

int listing_next(struct listing *l, struct listed *next) {
  for (;;) {
    if (l->at >= l->filled) {
      l->at = 0;
      l->filled = syscall(SYS_getdents64, l->fd, l->room, LISTING_BYTES);
      if (l->filled <= 0) return 0;
    }
    /* inode, offset, length of the record, type, name */
    const char *record = l->room + l->at;
    l->at += *(const unsigned short *)(record + 16);
    *next = (struct listed){.name = record + 19, .type = (unsigned char)record[18]};
    memcpy(&next->ino, record, sizeof next->ino);
    if (strcmp(next->name, ".") && strcmp(next->name, "..")) return 1;
  }
}

void listing_close(struct listing *l) {
  drop_arena(l->room, LISTING_BYTES);
  close(l->fd);
}

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15ull;
  return h ^ h >> 29;
}
static uint32_t hash_of_id(const struct id *id) {
  return (uint32_t)(mix(mix(mix(1, id->dev), id->ino), id->born) >> 20);
}
static uint32_t hash_of_name(uint32_t parent, const char *name) {
  uint64_t h = mix(2, parent);
  for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3ull;
  return (uint32_t)(mix(h, 3) >> 20);
}

static uint32_t hash_of_node(const struct store *s, uint32_t n) { return hash_of_id(&s->nodes[n].id); }
static uint32_t hash_of_entry(const struct store *s, uint32_t n) {
  return hash_of_name(s->entries[n].parent, s->entries[n].name);
}

static void insert(struct index *in, uint32_t hash, uint32_t number) {
  uint32_t at = hash & in->mask;
  while (in->slots[at]) at = (at + 1) & in->mask;
  in->slots[at] = number;
}

/* Makes room for one more than the `count` entries in it. A table starts small because each page of a large one would
 * soon be touched, at random. */
static int widen(const struct store *s, struct index *in, uint32_t count,
    uint32_t (*hash)(const struct store *, uint32_t)) {
  const uint32_t size = in->slots ? in->mask + 1 : 0;
  if ((uint64_t)count + 1 < size / 2) return 0;
  struct index larger = {arena(sizeof *in->slots * (size ? size * 4ull : FIRST_SLOTS)),
      (size ? size * 4 : FIRST_SLOTS) - 1};
  if (!larger.slots) return errno = ENOMEM, -1;
  for (uint32_t n = 1; n <= count; n++) insert(&larger, hash(s, n), n);
  if (in->slots) drop_arena(in->slots, sizeof *in->slots * (uint64_t)size);
  *in = larger;
  return 0;
}

uint32_t find_node(const struct store *s, const struct id *id) {
  const struct index *in = &s->by_id;
  for (uint32_t at = hash_of_id(id) & in->mask; in->slots[at]; at = (at + 1) & in->mask)
    if (same_id(&s->nodes[in->slots[at]].id, id)) return in->slots[at];
  return 0;
}

uint32_t find_entry(const struct store *s, uint32_t parent, const char *name) {
  const struct index *in = &s->by_name;
  for (uint32_t at = hash_of_name(parent, name) & in->mask; in->slots[at]; at = (at + 1) & in->mask) {
    const struct entry *e = &s->entries[in->slots[at]];
    if (e->parent == parent && !strcmp(e->name, name)) return in->slots[at];
  }
  return 0;
}

const char *keep_text(struct store *s, const char *text, uint32_t size) {
  if (s->text_used + size + 1 > s->text_size) {
    s->text_size = 1 << 24;
    s->text_used = 0;
    s->text = arena(s->text_size);
    if (!s->text || size + 1 > s->text_size) return errno = ENOMEM, s->text_size = 0, NULL;
  }
  char *to = s->text + s->text_used;
  memcpy(to, text, size);
  to[size] = 0;
  s->text_used += size + 1;
  return to;
}

uint32_t add_node(struct store *s, const struct id *id, const struct state *was) {
  if (s->node_count + 1 >= MAX_NODES) return errno = ENOSPC, 0;
  if (widen(s, &s->by_id, s->node_count, hash_of_node)) return 0;
  uint32_t n = ++s->node_count;
  insert(&s->by_id, hash_of_id(id), n);
  s->nodes[n] = (struct node){.id = *id, .is = *id, .was = *was};
  return n;
}

uint32_t add_entry(struct store *s, uint32_t parent, const char *name, uint32_t node) {
  const char *kept = keep_text(s, name, (uint32_t)strlen(name));
  if (!kept) return 0;
  if (s->entry_count + 1 >= MAX_ENTRIES) return errno = ENOSPC, 0;
  if (widen(s, &s->by_name, s->entry_count, hash_of_entry)) return 0;
  uint32_t n = ++s->entry_count;
  insert(&s->by_name, hash_of_name(parent, name), n);
  s->entries[n] = (struct entry){.parent = parent, .node = node, .name = kept, .next = s->nodes[parent].entries};
  s->nodes[parent].entries = n;
  return n;
}

void place_node(struct store *s, uint32_t node, uint32_t parent, const char *name) {
  struct node *n = &s->nodes[node];
  n->parent = parent;
  n->name = name;
  if (!parent) return;
  n->next_child = s->nodes[parent].children;
  s->nodes[parent].children = node;
}

static uint32_t record_sum(const struct record *r, const char *text, uint32_t size) {
  uint64_t h = 0xcbf29ce484222325ull;
  const unsigned char *p = (const unsigned char *)r;
  for (uint32_t i = 8; i < sizeof *r; i++) h = (h ^ p[i]) * 0x100000001b3ull;
  for (uint32_t i = 0; i < size; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001b3ull;
  return (uint32_t)(h ^ h >> 32);
}

int room_for(const struct store *s, uint64_t bytes) {
  if (bytes <= s->budget && s->used <= s->budget - bytes) return 1;
  errno = ENOSPC;
  return 0;
}

void count_parts(struct store *s) {
  char number[12];
  struct id id;
  struct state state;
  for (uint32_t i = 1; i <= s->node_count; i++) {
    const struct node *n = &s->nodes[i];
    if (n->copy && !look(s->copies, decimal(n->copy, number), 0, &id, &state)) s->used += state.space;
    if (n->link && !look(s->links, decimal(n->link, number), 0, &id, &state) && state.links == 1)
      s->used += state.space;
  }
}

static int put(struct store *s, const char *from, uint32_t size) {
  ssize_t wrote = write(s->journal, from, size);
  if (wrote == (ssize_t)size) return 0;
  if (wrote >= 0) errno = ENOSPC; /* the reader cuts the torn record off */
  return -1;
}

enum { GATHERED_BYTES = 1 << 16 };

int store_flush(struct store *s) {
  const uint32_t size = s->gathered.used;
  s->gathered.used = 0;
  return size ? put(s, s->gathered.records, size) : 0;
}

int store_write(struct store *s, uint32_t type, uint32_t number, const struct id *a, const struct id *b,
                const struct state *state, const char *text, uint32_t size) {
  if (s->plans) return 0;
  static char line[sizeof(struct record) + MAX_TEXT];
  struct record *r = (struct record *)line;
  if (size > MAX_TEXT) return errno = E2BIG, -1;
  memset(r, 0, sizeof *r);
  r->length = (uint32_t)sizeof *r + size;
  r->type = type;
  r->number = number;
  if (a) r->a = *a;
  if (b) r->b = *b;
  if (state) r->s = *state;
  if (size) memcpy(line + sizeof *r, text, size);
  r->check = record_sum(r, line + sizeof *r, size);
  /* The end of an action is written even without room. */
  if (s->listens && !s->gathers && !room_for(s, r->length)) return -1;
  s->used += r->length;
  if (s->gathers && !s->gathered.records) s->gathered.records = arena(GATHERED_BYTES);
  if (!s->gathers || !s->gathered.records) return put(s, line, r->length);
  if (s->gathered.used + r->length > GATHERED_BYTES && store_flush(s)) return -1;
  if (r->length > GATHERED_BYTES) return put(s, line, r->length);
  memcpy(s->gathered.records + s->gathered.used, line, r->length);
  s->gathered.used += r->length;
  return 0;
}

static int open_part(const struct store *s, const char *name) {
  return openat(s->vault, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int make_part(struct store *s, int *part) {
  const char *name = part == &s->links ? "l" : part == &s->copies ? "c" : "t";
  if (*part >= 0) return 0;
  if (syscall(SYS_mkdirat, s->vault, name, 0700) && errno != EEXIST) return -1;
  return (*part = open_part(s, name)) < 0 ? -1 : 0;
}

static void take(struct store *s, const struct record *r, const char *text, uint32_t size) {
  const char *kept;
  uint32_t a = find_node(s, &r->a), b;
  switch (r->type) {
    case R_BEGIN:
      s->started = r->a.born;
      break;
    case R_NODE:
      if (!a) a = add_node(s, &r->a, &r->s);
      s->nodes[a].flags |= r->number;
      b = size ? find_node(s, &r->b) : 0;
      if (b && !s->nodes[a].name && (kept = keep_text(s, text, size))) place_node(s, a, b, kept);
      break;
    case R_PLACE:
      if (!a) a = add_node(s, &r->a, &r->s);
      b = find_node(s, &r->b);
      if ((kept = keep_text(s, text, size))) place_node(s, a, b, kept);
      break;
    case R_NAME: {
      uint32_t length = (uint32_t)strlen(text), node = 0;
      if (r->b.ino) {
        node = find_node(s, &r->b);
        if (!node) node = add_node(s, &r->b, &r->s);
        if (size > length + 1 && !s->nodes[node].target)
          s->nodes[node].target = keep_text(s, text + length + 1, size - length - 1);
      }
      if (a && !find_entry(s, a, text)) add_entry(s, a, text, node);
      if (a) s->nodes[a].flags |= TOUCHED;
      break;
    }
    case R_LINK:
      if (a) s->nodes[a].link = r->number;
      break;
    case R_COPY:
      if (a) {
        s->nodes[a].copy = r->number;
        s->nodes[a].flags |= COPIED;
      }
      break;
    case R_ATTRIBUTES:
      if (a && (kept = keep_text(s, text, size))) {
        s->nodes[a].attributes = s->nodes[a].end_attributes = kept;
        s->nodes[a].attributes_size = s->nodes[a].end_attributes_size = size;
      }
      break;
    case R_END_ATTRIBUTES:
      if (a && (kept = keep_text(s, text, size))) {
        s->nodes[a].end_attributes = kept;
        s->nodes[a].end_attributes_size = size;
      }
      break;
    case R_ALSO:
      b = find_node(s, &r->b);
      if (a && b && (kept = keep_text(s, text, size))) add_other_name(s, a, b, kept);
      break;
    case R_LAST:
      s->last = r->a.born;
      break;
    case R_APPLY:
      s->applies = r->a.born;
      break;
    case R_END_NAME:
      b = a ? find_entry(s, a, text) : 0;
      if (b) {
        s->entries[b].end = r->b;
        s->entries[b].end_state = r->s;
        s->entries[b].flags |= FINAL;
      }
      break;
    case R_END_NODE:
      if (a) {
        s->nodes[a].end = r->s;
        s->nodes[a].flags |= FINAL;
      }
      break;
    case R_END:
      s->ended = 1;
      break;
    default:
      break;
  }
  if (r->type == R_LINK || r->type == R_COPY || r->type == R_NAME)
    if (r->number > s->number) s->number = r->number;
}

/* Reads all whole records. What is behind the last of them is cut off, so that the next record follows it. */
static int store_load(struct store *s) {
  static char line[sizeof(struct record) + MAX_TEXT + 1];
  static char buffer[1 << 16];
  struct record *r = (struct record *)line;
  uint64_t at = 0, filled = 0, have = 0, good = 0;
  for (;;) {
    uint64_t want = have < sizeof *r ? sizeof *r : r->length;
    if (have >= sizeof *r && (r->length < sizeof *r || r->length > sizeof *r + MAX_TEXT)) break;
    if (have == want && have >= sizeof *r) {
      uint32_t size = r->length - (uint32_t)sizeof *r;
      if (record_sum(r, line + sizeof *r, size) != r->check) break;
      line[r->length] = 0;
      if (r->type == R_OTHERS && take_other(s, r, line + sizeof *r, size)) return -1;
      take(s, r, line + sizeof *r, size);
      good += r->length;
      have = 0;
      continue;
    }
    if (at == filled) {
      ssize_t got = read(s->journal, buffer, sizeof buffer);
      if (got < 0) return -1;
      if (got == 0) break;
      filled = (uint64_t)got;
      at = 0;
    }
    uint64_t n = want - have < filled - at ? want - have : filled - at;
    memcpy(line + have, buffer + at, n);
    have += n;
    at += n;
  }
  s->used = good;
  if (syscall(SYS_lseek, s->journal, 0, SEEK_END) != (long)good && syscall(SYS_ftruncate, s->journal, good)) return -1;
  if (syscall(SYS_lseek, s->journal, good, SEEK_SET) < 0) return -1;
  return 0;
}

/*
 * Opens the store in the directory `path`, which must exist, be empty or a store, and belong to this user alone.
 * `existing`: its journal is read first. The lock lasts until this process ends; EWOULDBLOCK: another process has it.
 */
int store_open(struct store *s, const char *path, int existing) {
  struct id id;
  struct state state;
  *s = (struct store){.known_fd = {-1, -1}, .root = -1, .resumes = existing == RESUMED};
  s->vault = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (s->vault < 0 || look(s->vault, "", 0, &id, &state) || look(s->vault, "..", 0, &s->guarded, NULL)) return -1;
  if (state.uid != geteuid() || (state.mode & 077)) return errno = EPERM, -1;
  s->journal = openat(s->vault, "journal", O_RDWR | O_CLOEXEC | O_NOFOLLOW | (existing ? 0 : O_CREAT | O_EXCL), 0600);
  if (s->journal < 0 || syscall(SYS_flock, s->journal, 2 | 4 /* LOCK_EX | LOCK_NB */)) return -1;
  s->links = existing ? open_part(s, "l") : -1;
  s->copies = existing ? open_part(s, "c") : -1;
  s->trash = existing ? open_part(s, "t") : -1;
  s->nodes = arena(sizeof *s->nodes * (uint64_t)MAX_NODES);
  s->entries = arena(sizeof *s->entries * (uint64_t)MAX_ENTRIES);
  if (!s->nodes || !s->entries || widen(s, &s->by_id, 0, hash_of_node) || widen(s, &s->by_name, 0, hash_of_entry))
    return -1;
  s->budget = s->max_file = UINT64_MAX;
  if (look(s->journal, "", 0, &id, &state)) return -1;
  s->last = moment(state.mtime, state.mtime_ns);
  if (existing) return store_load(s);
  s->started = id.born ? id.born : moment(state.ctime, state.ctime_ns);
  id.born = s->started;
  return store_write(s, R_BEGIN, 0, &id, NULL, &state, NULL, 0);
}

void store_note(struct store *s, const char *word, const char *path) {
  int fd = openat(s->vault, "notes", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  char line[2048];
  int n = snprintf(line, sizeof line - 1, "%s %s", word, path);
  line[n] = 0;
  if (write(fd, line, (size_t)n + 1) < 0) { /* the summary still counts it */
  }
  close(fd);
}
