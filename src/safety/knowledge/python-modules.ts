/** Modules that Python's own library and the listed packages import by themselves. */
export const STANDARD_MODULES: ReadonlySet<string> = new Set(
  `abc argparse ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cmath cmd code codecs codeop
   collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg csv ctypes curses
   dataclasses datetime decimal difflib dis doctest email encodings enum errno faulthandler fileinput fnmatch fractions
   ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib imp
   importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox marshal math mimetypes
   mmap modulefinder multiprocessing netrc ntpath numbers opcode operator optparse os pathlib pdb pickle pickletools
   pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pydoc pyexpat queue quopri
   random re readline reprlib resource runpy sched secrets select selectors shelve shlex shutil signal site sitecustomize
   smtplib socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct
   subprocess symtable sys sysconfig tarfile telnetlib tempfile termios textwrap this threading time timeit token tokenize
   tomllib trace traceback tracemalloc tty types typing unicodedata unittest urllib usercustomize uuid venv warnings
   wave weakref webbrowser xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
   six dateutil pytz tzdata urllib3 idna certifi chardet charset_normalizer soupsieve typing_extensions packaging joblib
   threadpoolctl cycler kiwisolver pyparsing numpy pandas scipy requests PIL lxml bs4 yaml tqdm regex filelock pluggy
   iniconfig attr attrs cffi pycparser`.split(/\s+/),
);
