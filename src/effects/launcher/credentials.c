/* Files of keys and passwords, which are not copied unless the user wants that. */
#include "store.h"

#include "knowledge.h"

#include <stdio.h>
#include <string.h>

/* In the notation of src/knowledge/patterns.ts: names, and paths or ends of paths. */
static const char *const names[] = {CREDENTIAL_NAMES};
static const char *const places[] = {CREDENTIAL_PLACES};
static const char *const harmless[] = {NO_CREDENTIALS};

/* A slash at the end of a pattern means all that is below. Only the last star is retried: none reaches over a slash. */
static int matches(const char *pattern, const char *text) {
  const char *star = NULL, *from = NULL;
  while (*pattern || *text) {
    if (*pattern == '/' && !pattern[1] && *text == '/') return text[1] != 0;
    if (*pattern == '*') star = ++pattern, from = text;
    else if (*text && (*pattern == *text || (*pattern == '?' && *text != '/'))) pattern++, text++;
    else if (star && *from && *from != '/' && *from != ':') pattern = star, text = ++from;
    else return 0;
  }
  return 1;
}

static int is_among(const char *const *patterns, const char *text) {
  for (; *patterns; patterns++)
    if ((**patterns == '*' || **patterns == *text) && matches(*patterns, text)) return 1;
  return 0;
}

/* Matches the whole path, and the rest of it from each of its names on. */
static int is_placed(const char *const *patterns, const char *path) {
  int found = is_among(patterns, path);
  for (; *path && !found; path++)
    if (*path == '/') found = is_among(patterns, path + 1);
  return found;
}

int holds_credentials(int directory, const char *name) {
  char path[4096 + NAME_BYTES];
  const long n = path_of_fd(directory, path, 4096);
  if (n <= 0) return 0;
  if (*name) snprintf(path + n, sizeof path - (uint64_t)n, "/%s", name);
  const char *last = strrchr(path, '/');
  return last && (is_among(names, last + 1) || is_placed(places, path)) && !is_placed(harmless, path);
}
