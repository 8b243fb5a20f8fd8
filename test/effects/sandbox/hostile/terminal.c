/* Run in a pseudo-terminal of its own. T_PTS is another terminal of the same user, T_TTY a console. */
#include "hostile.h"

#include <sys/ioctl.h>
#include <termios.h>

static long opened(const char *path, int flags) {
  int fd = open(path, flags | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  return fd < 0 && errno == ENOENT ? (not_here(), 0) : fd;
}
static long paint(void) {
  int fd = (int)opened(given("T_PTS"), O_WRONLY);
  return fd < 0 ? -1 : write(fd, "x", 1);
}
static long read_keys(void) { return opened(given("T_PTS"), O_RDONLY); }
static long paint_by_descriptor(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/fd/0", number("T_VICTIM"));
  return opened(path, O_WRONLY);
}
static long type(void) { return ioctl(0, TIOCSTI, "x"); }
static long type_by_tty(void) { return ioctl((int)opened("/dev/tty", O_RDWR), TIOCSTI, "x"); }
static long discipline(void) {
  int kind = 0;
  return ioctl(0, TIOCSETD, &kind);
}
static long exclusive(void) { return ioctl(0, TIOCEXCL) ? -1 : ioctl(0, TIOCNXCL); }
static long take_console(void) { return ioctl(0, TIOCCONS); }
static long selection(void) { return ioctl((int)opened("/dev/tty1", O_RDWR), TIOCLINUX, "\6"); }
static long new_terminal(void) { return opened("/dev/ptmx", O_RDWR); }
static long console(void) { return opened("/dev/console", O_WRONLY); }
static long virtual_console(void) { return opened("/dev/tty1", O_RDWR); }
static long screen_memory(void) { return opened("/dev/vcs1", O_RDONLY); }
static long keyboard(void) { return opened("/dev/input/event0", O_RDONLY); }

const struct operation terminal[] = {
    {"write to another terminal", paint},
    {"read another terminal", read_keys},
    {"open another's terminal by its descriptor", paint_by_descriptor},
    {"type into the own terminal (TIOCSTI)", type},
    {"type into /dev/tty (TIOCSTI)", type_by_tty},
    {"set the line discipline", discipline},
    {"take the terminal for oneself", exclusive},
    {"redirect the console", take_console},
    {"paste from the console (TIOCLINUX)", selection},
    {"open a new terminal", new_terminal},
    {"write to the console", console},
    {"open a virtual console", virtual_console},
    {"read the screen of a console", screen_memory},
    {"read a keyboard", keyboard},
    {NULL, NULL},
};
