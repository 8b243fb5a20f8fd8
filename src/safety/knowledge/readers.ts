/** Programs that only read, whatever their options; options that write are rows of the rule tables. */
const READERS = `
  ls dir vdir exa eza lsd tree cat tac nl head tail less more most bat batcat zcat zless zmore bzcat xzcat zstdcat
  grep egrep fgrep rg ag ack pcre2grep zgrep bzgrep xzgrep ugrep sift pt
  wc cut paste join column comm cmp diff diff3 sdiff colordiff delta difft icdiff uniq rev fold fmt pr expand unexpand tr nroff groff
  stat file du df free uptime w who whoami id groups users last lastb lastlog finger logname tty uname hostname arch nproc lscpu lsblk lsusb lspci lsmod lsof lshw lsmem lsns lsipc lslocks lslogins lsb_release hwinfo inxi dmidecode sensors acpi
  ps pgrep pidof pstree top htop btop atop glances iotop iftop nethogs vmstat iostat mpstat sar pidstat dstat nmon slabtop numastat
  find fd locate mlocate plocate updatedb which whereis type man info apropos whatis tldr cheat help
  date cal ncal bc dc expr factor seq jot yes sleep true false test basename dirname realpath readlink pwd printenv locale getconf
  md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum cksum sum md5 shasum xxhsum base32 base64 basenc xxd od hexdump hd strings nm objdump readelf ldd size addr2line c++filt elfutils-readelf pahole dwarfdump
  jq yq xq gron fx jless jc dasel tomlq xmllint xmlstarlet xpath csvcut csvgrep csvlook csvstat csvsort csvjson xsv qsv mlr miller htmlq pup hxselect
  ping ping6 traceroute tracepath traceroute6 mtr dig nslookup host whois getent arp netstat ss nmap nc ncat netcat telnet-probe ipcalc sipcalc iperf iperf3 speedtest speedtest-cli curlie httping fping tcpdump tshark ngrep dog drill kdig q
  kill pkill killall fuser zipinfo modinfo modprobe passwd chage fc
  echo printf clear reset tput figlet toilet cowsay lolcat fortune banner neofetch fastfetch screenfetch
  getfacl getfattr lsattr getcap namei mountpoint findmnt blkid lsinitramfs pvs vgs lvs pvdisplay vgdisplay lvdisplay pvscan vgscan lvscan lvmdiskscan dumpe2fs smartctl xfs_info btrfs-show e2label zdb
  cloc tokei scc sloccount wakatime onefetch gource
  pip-audit npm-check depcheck license-checker madge
  shellcheck hadolint yamllint jsonlint markdownlint mdl vale proselint codespell aspell hunspell languagetool
  tsc flake8 pylint mypy pyright pyflakes pycodestyle pydocstyle bandit vulture radon safety xenon interrogate
  golint staticcheck gosec govulncheck golangci-lint cppcheck cpplint reek brakeman phpstan psalm phpcs checkstyle pmd spotbugs detekt tflint tfsec checkov terrascan trivy grype syft snyk semgrep gitleaks trufflehog
  test pytest tox nox unittest jest vitest mocha ava tap karma rspec cucumber behave phpunit pest ctest nextest minitest testem bats shunit2
  gcc g++ cc c++ clang clang++ ld as rustc javac kotlinc scalac swiftc nasm yasm cython mypyc protoc flatc thrift nvcc ispc tcc
  pandoc asciidoctor asciidoc sphinx-build rst2html
  ffprobe mediainfo identify soxi mkvinfo mp3info pdfinfo pdftotext pdffonts tesseract
  jobs history times dirs caller ulimit umask
  lpstat lpinfo xdpyinfo xwininfo xprop xlsclients glxinfo vulkaninfo vainfo clinfo nvidia-smi rocm-smi radeontop intel_gpu_top
  apt-cache dpkg-query apt-file apt-rdepends debsums rpmquery repoquery equery eix pkg-config pkgconf
  stern k9s kubetail kubeval kubeconform kube-score kube-linter popeye kubent pluto
  pactree expac checkupdates
  aa-status sestatus getenforce getsebool ausearch aureport seinfo sesearch
  gitk tig git-sizer git-standup lazygit gitui
  time sw_vers system_profiler ioreg vm_stat mdfind mdls otool
  x86_64-linux-gnu-gcc arm-none-eabi-gcc addr2line gcov gprof
  progress ts
  xclip xsel pbcopy pbpaste wl-copy wl-paste notify-send say espeak open xdg-open
  sinfo squeue sacct sstat sprio qstat bjobs pbsnodes
  cargo-tree vermin pipdeptree
  k6 wrk ab hey vegeta siege bombardier oha locust
  uuidgen uuid pwgen mkpasswd apg shuf tsort numfmt
  wait cd pushd popd
  iptables-save ip6tables-save nft-save logger
`;

/** Programs that only add: what is there stays. */
const ADDERS = `
  mkdir mkfifo mktemp touch
  ssh-keyscan aria2c axel yt-dlp youtube-dl gallery-dl
  wait sleep
  zcat bunzip2 bzip2 gzip gunzip xz unxz zstd unzstd lz4 compress uncompress lzma unlzma pigz tar zip unzip 7z rar unrar ar cpio
  virtualenv autoconf automake autoreconf autoheader aclocal libtoolize configure ranlib
  lame opusenc cwebp pdftoppm pdfunite pdfseparate img2pdf wkhtmltopdf dot neato plantuml mmdc gnuplot
  mkisofs genisoimage pg_dump pg_dumpall mysqldump mariadb-dump mongodump sqldiff redis-dump mysqlpump pg_basebackup createdb createuser
  split csplit iconv
`;

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}

/** Programs known to read only, or to add only. */
export const HARMLESS_PROGRAMS: ReadonlySet<string> = new Set([...words(READERS), ...words(ADDERS)]);
