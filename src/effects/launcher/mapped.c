/*
 * Access lists as they are outside a user namespace: inside, the numbers of other users all read as nobody's.
 *
 * Who keeps a command of an ordinary user in Project mode stands inside, with the command. It asks the supervisor, which
 * stands outside and has the same descriptors, to read them.
 */
#include "keep-path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct question {
  int directory;
  char name[NAME_BYTES], item[NAME_BYTES];
  long got; /* bytes, or -errno */
  char value[1 << 16];
} *shared;
static int asked[2] = {-1, -1}, answered[2] = {-1, -1};

int is_access_list(const char *item) { return !strncmp(item, "system.posix_acl_", 17); }

/* Where it fails they are read inside, as far as they can be. */
void outside_begin(void) {
  long page = syscall(SYS_mmap, 0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == -1 || pipe2(asked, O_CLOEXEC) || pipe2(answered, O_CLOEXEC)) return;
  shared = (struct question *)page;
}

int outside_asked(void) { return asked[0]; }

void outside_answer(void) {
  char path[48 + NAME_BYTES], one;
  if (read(asked[0], &one, 1) != 1) return;
  const int named = *shared->name != 0;
  snprintf(path, sizeof path, named ? "/proc/self/fd/%d/%s" : "/proc/self/fd/%d", shared->directory, shared->name);
  long got = syscall(named ? SYS_lgetxattr : SYS_getxattr, path, shared->item, shared->value, sizeof shared->value);
  shared->got = got < 0 ? -errno : got;
  if (write(answered[1], "", 1) != 1) { /* who asked ends with us */
  }
}

long value_outside(int directory, const char *name, const char *item, char *value, uint64_t size) {
  char one;
  if (!shared || strlen(name) >= NAME_BYTES || strlen(item) >= NAME_BYTES) return errno = EINVAL, -1;
  shared->directory = directory;
  memcpy(shared->name, name, strlen(name) + 1);
  memcpy(shared->item, item, strlen(item) + 1);
  if (write(asked[1], "", 1) != 1 || read(answered[0], &one, 1) != 1) return -1;
  if (shared->got < 0) return errno = (int)-shared->got, -1;
  if ((uint64_t)shared->got > size) return errno = ERANGE, -1;
  memcpy(value, shared->value, (uint64_t)shared->got);
  return shared->got;
}

enum { NR_SETXATTRAT = 463, HEAD = 4, ENTRY = 8, OF_USER = 2, OF_GROUP = 8, MOST = 1 << 16 };

/* Inside there is nobody else, and the kernel refuses such a list, which it would not outside. */
int names_others(pid_t pid, int nr, const uint64_t *a) {
  static char list[MOST];
  char item[17];
  uint64_t name = a[1], value = a[2], size = a[3];
  if (nr == __NR_removexattr || nr == __NR_lremovexattr || nr == __NR_fremovexattr) return 0;
  if (nr > __NR_fremovexattr) { /* those of 6.13 */
    if (nr != NR_SETXATTRAT || read_memory(pid, a[4], &value, sizeof value) || read_memory(pid, a[4] + 8, &size, 4)) return 0;
    size &= UINT32_MAX;
    name = a[3];
  }
  if (read_memory(pid, name, item, sizeof item) || strncmp(item, "system.posix_acl_", sizeof item)) return 0;
  if (size > MOST || read_memory(pid, value, list, size)) return 0;
  for (uint64_t i = HEAD; i + ENTRY <= size; i += ENTRY) {
    uint16_t tag;
    uint32_t who;
    memcpy(&tag, list + i, 2);
    memcpy(&who, list + i + 4, 4);
    if ((tag == OF_USER && who != geteuid()) || (tag == OF_GROUP && who != (uint32_t)syscall(SYS_getegid))) return 1;
  }
  return 0;
}
