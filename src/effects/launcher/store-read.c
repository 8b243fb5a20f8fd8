/* The journal of a store, read again. */
#include "store.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Reads all whole records; what stands behind the last of them is cut off, so that the next one follows it. */
int store_load(struct store *s) {
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
      if (s->resumes && take_step(s, r, line + sizeof *r, size)) return -1;
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
