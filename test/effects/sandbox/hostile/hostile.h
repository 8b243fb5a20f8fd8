/* Hostile operations, each tried outside and inside the sandbox. See main.c. */
#ifndef HOSTILE_H
#define HOSTILE_H
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns 0 or more when the operation got through, -1 with errno when it was refused. It must undo what it can. */
struct operation {
  const char *name;
  long (*run)(void);
};

extern const struct operation files[], metadata[], network[], processes[], kernel[], terminal[], wanted[];

/* What the test laid out, by name, from the environment: NONE_HERE ends the operation as "not applicable". */
const char *given(const char *name);
long number(const char *name);
const char *in_tmp(const char *name); /* a path in $TMPDIR */
void not_here(void) __attribute__((noreturn));
long wait_for_log(long before); /* has the victim noted a signal? 0 or -1 with EPERM */
long log_size(void);
#endif
