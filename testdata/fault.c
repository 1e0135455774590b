/* Makes system calls fail on purpose, for tests: build it with `cc -shared -fPIC -o fault.so fault.c -ldl`
 * and run a program with LD_PRELOAD=fault.so and some of these variables. Without any, nothing changes.
 *
 *   FAULT_PATH       reading and listing fail only for paths that contain this text (default: none do)
 *   FAULT_AFTER      reads of bytes from this offset on fail (or end, see FAULT_EOF); reads across it are cut
 *   FAULT_ERRNO      how they fail: EIO (default), ESTALE, ENOSPC, EPIPE, EINTR, EMFILE, EACCES or a number
 *   FAULT_EOF        set: from FAULT_AFTER on, reads return 0 instead of failing
 *   FAULT_BAD        FIRST-END: reads of bytes in this range fail; reads across it are cut, with O_DIRECT
 *                    they fail; several with commas
 *   FAULT_FLIP       a bit of the byte at this offset is read wrong
 *   FAULT_FLIPS      so many times only (default: always)
 *   FAULT_SHORT      reads return at most this many bytes at once
 *   FAULT_EINTR      set: every other read fails with EINTR
 *   FAULT_OPEN       opening fails with this errno
 *   FAULT_HANG       open, stat, read or list (a directory): that call never comes back
 *   FAULT_NO_DIRECT  flag: O_DIRECT is refused; read: reads with it fail with EINVAL
 *   FAULT_DEVICE     set: what is at the path looks like a block device; a number: its size when asked again
 *   FAULT_LIST       listing a directory fails with FAULT_ERRNO after this many entries, `.` and `..` too
 *   FAULT_UNKNOWN    set: listings do not tell the types of entries
 *   FAULT_NO_HOLES   set: asking for holes fails with EINVAL
 *   FAULT_LOG        a file that gets a line `read OFFSET BYTES` for every read that succeeds
 *
 *   FAULT_WRITE_PATH   writing fails only for paths that contain this text; pipes are `pipe:[…]`
 *   FAULT_WRITE_AFTER  writes fail when this many bytes are written to the descriptor (default 0)
 *   FAULT_WRITE_ERRNO  how: as FAULT_ERRNO (default ENOSPC); KILL kills the process instead
 *   FAULT_WRITE_SHORT  a write takes at most this many bytes
 *   FAULT_WRITE_PLANT  after the first such write this file is renamed to where the written one lies
 *   FAULT_RENAME       set: the process is killed when a path with the text of FAULT_WRITE_PATH is to be renamed
 *
 *   FAULT_STEP_PATH    calls that change files or names are counted for paths that contain this text: create, write, sync, link, rename,
 *                      swap, remove
 *   FAULT_STEP         before the call of this number (from 0) the process is killed
 *   FAULT_STEP_CALL    only calls of this name are counted
 *   FAULT_STEP_RUN     this command of the shell is run instead
 *   FAULT_NO_SWAP      set: swapping two names fails with EINVAL
 *
 *   FAULT_SWAP         when a path with the text of FAULT_PATH was opened, this file is renamed to it
 *   FAULT_REWRITE      when such a file was read to its end, the content of this one is written over it
 *
 *   FAULT_NO_MAP       set: files whose paths contain the text of FAULT_PATH can't be mapped
 *   FAULT_CUT          when such a file was mapped, it is cut to this many bytes
 *   FAULT_MAPS         a file that gets a line `map BYTES` for every such file that is mapped
 *
 *   FAULT_THREADS      so many threads can be started; to start another fails with EAGAIN
 *
 * A map of a chosen file raises SIGBUS on the pages where FAULT_AFTER and FAULT_BAD let reads fail or end. With
 * FAULT_SHORT, FAULT_EINTR, FAULT_HANG, FAULT_LOG, which are about reads, a file can't be mapped.
 *
 * Interposed: pthread_create, open, open64, openat, openat64, syscall (for openat2, renameat2), read, pread, pread64, lseek, lseek64, fstat, fstat64,
 * fcntl, fcntl64, ioctl, mmap, mmap64, readdir, readdir64, write, writev, pwrite, pwrite64, rename,
 * renameat, linkat, unlinkat, fsync, close. Calls that the C library
 * makes inside itself (stdio) are not seen.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
enum { DESCRIPTORS = 65536 };

static _Atomic long long written[DESCRIPTORS];
static _Atomic long calls;
static _Atomic long sizes;

static long long number(const char *name, long long otherwise) {
    const char *text = getenv(name);
    return text ? atoll(text) : otherwise;
}

static int error_of(const char *name, int otherwise) {
    static const struct { const char *name; int value; } errors[] = {
        {"EIO", EIO}, {"ESTALE", ESTALE}, {"ENOSPC", ENOSPC}, {"EPIPE", EPIPE},
        {"EINTR", EINTR}, {"EMFILE", EMFILE}, {"ENXIO", ENXIO}, {"ENODEV", ENODEV}, {"ENODATA", ENODATA}, {"EACCES", EACCES}, {"ENOENT", ENOENT},
    };
    const char *text = getenv(name);
    if (!text) return otherwise;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (!strcmp(text, errors[i].name)) return errors[i].value;
    return atoi(text);
}

static int chosen(int fd, const char *variable) {
    const char *part = getenv(variable);
    char link[64], path[8192];
    if (!part) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, part) != NULL;
}

static _Atomic long steps;

/* A call that changes something, counted if its path is chosen. */
static void step(const char *call, const char *path) {
    const char *part = getenv("FAULT_STEP_PATH"), *wanted = getenv("FAULT_STEP_CALL"), *command = getenv("FAULT_STEP_RUN");
    if (!part || !strstr(path, part) || (wanted && strcmp(wanted, call))) return;
    if (atomic_fetch_add(&steps, 1) != number("FAULT_STEP", 0)) return;
    if (!command) kill(getpid(), SIGKILL);
    /* What it changes is no step. */
    unsetenv("FAULT_STEP_PATH");
    unsetenv("LD_PRELOAD");
    if (system(command) != 0) abort();
}

static void step_of(const char *call, int fd) {
    if (!getenv("FAULT_STEP_PATH")) return;
    char link[64], path[8192];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 2);
    strcpy(path + (length < 0 ? 0 : length), "/");
    step(call, path);
}

static void step_at(const char *call, int start, const char *name) {
    if (!getenv("FAULT_STEP_PATH")) return;
    char link[64], path[8192];
    snprintf(link, sizeof link, "/proc/self/fd/%d", start);
    ssize_t length = readlink(link, path, sizeof path / 2);
    snprintf(path + (length < 0 ? 0 : length), sizeof path / 2, "/%s", name);
    step(call, path);
}

static void hang(const char *call) {
    const char *wanted = getenv("FAULT_HANG");
    while (wanted && !strcmp(wanted, call)) sleep(1000);
}

/* How many bytes there are from an offset to the next bad range; 0 inside of one. */
static ssize_t until_bad(long long offset, size_t count) {
    const char *text = getenv("FAULT_BAD");
    while (text && *text) {
        char *rest;
        long long first = strtoll(text, &rest, 10), end = strtoll(rest + 1, &rest, 10);
        if (first <= offset && offset < end) return 0;
        if (offset < first && offset + (long long)count > first) count = first - offset;
        text = *rest ? rest + 1 : rest;
    }
    return count;
}

/* How many bytes a read may ask for: 0 is the end, -1 a failure, with errno set. */
static ssize_t allowed(long long offset, size_t count) {
    if (getenv("FAULT_EINTR") && atomic_fetch_add(&calls, 1) % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    long long after = number("FAULT_AFTER", -1), most = number("FAULT_SHORT", 0);
    if (after >= 0 && offset >= after) {
        if (getenv("FAULT_EOF")) return 0;
        errno = error_of("FAULT_ERRNO", EIO);
        return -1;
    }
    if (after >= 0 && offset + (long long)count > after) count = after - offset;
    if (most > 0 && (long long)count > most) count = most;
    if (count && !(count = until_bad(offset, count))) {
        errno = error_of("FAULT_ERRNO", EIO);
        return -1;
    }
    return count;
}

static ssize_t logged(long long offset, ssize_t result) {
    const char *path = getenv("FAULT_LOG");
    int kept = errno;
    if (path && result > 0) {
        FILE *log = fopen(path, "a");
        if (log) {
            fprintf(log, "read %lld %zd\n", offset, result);
            fclose(log);
        }
    }
    errno = kept;
    return result;
}

static _Atomic long flips;

/* A bit on the medium, or on the way from it, is wrong. */
static ssize_t flipped(void *buffer, long long offset, ssize_t result) {
    long long bad = number("FAULT_FLIP", -1);
    if (result > 0 && offset <= bad && bad < offset + result && atomic_fetch_add(&flips, 1) < number("FAULT_FLIPS", 1 << 30))
        ((unsigned char *)buffer)[bad - offset] ^= 1;
    return logged(offset, result);
}

static _Atomic int rewritten;

/* Somebody else writes over a file that was read. */
static ssize_t rewrite(int fd, ssize_t result) {
    const char *from = getenv("FAULT_REWRITE");
    if (!from || result != 0 || atomic_exchange(&rewritten, 1)) return result;
    char link[64], bytes[65536];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int in = NEXT(openat64)(AT_FDCWD, from, O_RDONLY, 0), out = NEXT(openat64)(AT_FDCWD, link, O_WRONLY | O_TRUNC, 0);
    for (ssize_t some; (some = NEXT(read)(in, bytes, sizeof bytes)) > 0;)
        if (NEXT(write)(out, bytes, some) != some) abort();
    NEXT(close)(in);
    NEXT(close)(out);
    return result;
}

ssize_t read(int fd, void *buffer, size_t count) {
    if (!chosen(fd, "FAULT_PATH")) return NEXT(read)(fd, buffer, count);
    if (getenv("FAULT_REWRITE")) return rewrite(fd, NEXT(read)(fd, buffer, count));
    hang("read");
    long long offset = NEXT(lseek64)(fd, 0, SEEK_CUR);
    ssize_t may = allowed(offset < 0 ? 0 : offset, count);
    return may <= 0 ? may : flipped(buffer, offset < 0 ? 0 : offset, NEXT(read)(fd, buffer, may));
}

static ssize_t read_at(int fd, void *buffer, size_t count, off64_t offset) {
    if (!chosen(fd, "FAULT_PATH")) return NEXT(pread64)(fd, buffer, count, offset);
    hang("read");
    const char *direct = getenv("FAULT_NO_DIRECT");
    if (direct && !strcmp(direct, "read") && (NEXT(fcntl)(fd, F_GETFL) & O_DIRECT)) {
        errno = EINVAL;
        return -1;
    }
    if ((NEXT(fcntl)(fd, F_GETFL) & O_DIRECT) && until_bad(offset, count) < (ssize_t)count) {
        errno = error_of("FAULT_ERRNO", EIO);
        return -1;
    }
    ssize_t may = allowed(offset, count);
    return may <= 0 ? may : flipped(buffer, offset, NEXT(pread64)(fd, buffer, may, offset));
}

ssize_t pread(int fd, void *buffer, size_t count, off_t offset) { return read_at(fd, buffer, count, offset); }
ssize_t pread64(int fd, void *buffer, size_t count, off64_t offset) { return read_at(fd, buffer, count, offset); }

static void note_map(size_t length) {
    const char *path = getenv("FAULT_MAPS");
    FILE *log = path ? fopen(path, "a") : NULL;
    if (!log) return;
    fprintf(log, "map %zu\n", length);
    fclose(log);
}

/* Puts pages of a file without any into a map: to read them raises SIGBUS. */
static void unmap_pages(char *map, size_t length, long long first, long long end) {
    static int nothing = -1;
    if (nothing < 0) nothing = memfd_create("nothing", MFD_CLOEXEC);
    long page = sysconf(_SC_PAGESIZE);
    first = first / page * page;
    end = (end + page - 1) / page * page;
    long long all = (length + page - 1) / page * page;
    if (end > all) end = all;
    if (first < end && NEXT(mmap64)(map + first, end - first, PROT_READ, MAP_SHARED | MAP_FIXED, nothing, 0) == MAP_FAILED) abort();
}

/* Somebody else changes the length of an open file. */
static void cut_short(int fd, long long length) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (truncate(link, length)) abort();
}

static void *mapped(void *at, size_t length, int protection, int flags, int fd, off64_t offset) {
    /* Also called by handlers of signals, on a small stack. */
    if (fd < 0) return (void *)syscall(SYS_mmap, at, length, protection, flags, fd, offset);
    if (!chosen(fd, "FAULT_PATH")) return NEXT(mmap64)(at, length, protection, flags, fd, offset);
    if (getenv("FAULT_NO_MAP") || getenv("FAULT_SHORT") || getenv("FAULT_EINTR") || getenv("FAULT_HANG") || getenv("FAULT_LOG")) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    char *map = NEXT(mmap64)(at, length, protection, flags, fd, offset);
    if (map == MAP_FAILED) return map;
    note_map(length);
    long long after = number("FAULT_AFTER", -1), cut = number("FAULT_CUT", -1);
    if (after >= 0) unmap_pages(map, length, after - offset, length);
    for (const char *text = getenv("FAULT_BAD"); text && *text;) {
        char *rest;
        long long first = strtoll(text, &rest, 10), end = strtoll(rest + 1, &rest, 10);
        unmap_pages(map, length, first - offset, end - offset);
        text = *rest ? rest + 1 : rest;
    }
    if (cut >= 0) cut_short(fd, cut);
    return map;
}

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset) {
    return mapped(at, length, protection, flags, fd, offset);
}
void *mmap64(void *at, size_t length, int protection, int flags, int fd, off64_t offset) {
    return mapped(at, length, protection, flags, fd, offset);
}

static off64_t seek(int fd, off64_t offset, int whence) {
    int holes = whence == SEEK_DATA || whence == SEEK_HOLE;
    if (holes && getenv("FAULT_NO_HOLES") && chosen(fd, "FAULT_PATH")) {
        errno = EINVAL;
        return -1;
    }
    return NEXT(lseek64)(fd, offset, whence);
}

off_t lseek(int fd, off_t offset, int whence) { return seek(fd, offset, whence); }
off64_t lseek64(int fd, off64_t offset, int whence) { return seek(fd, offset, whence); }

static _Atomic int planted;

/* Somebody else puts another file in its place. */
static void plant(const char *variable, const char *path) {
    const char *from = getenv(variable);
    if (from && !atomic_exchange(&planted, 1) && renameat(AT_FDCWD, from, AT_FDCWD, path) != 0) abort();
}

static int opened(int start, const char *path, int flags, mode_t mode) {
    if (flags & O_CREAT) step_at("create", start, path);
    const char *part = getenv("FAULT_PATH");
    if (getenv("FAULT_SWAP") && part && strstr(path, part)) {
        int fd = NEXT(openat64)(start, path, flags, mode);
        if (fd >= 0) plant("FAULT_SWAP", path);
        return fd;
    }
    if (part && strstr(path, part)) hang("open");
    if (getenv("FAULT_OPEN") && part && strstr(path, part)) {
        errno = error_of("FAULT_OPEN", EMFILE);
        return -1;
    }
    return NEXT(openat64)(start, path, flags, mode);
}

#define MODE(flags)                                                    \
    mode_t mode = 0;                                                   \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                             \
        va_list rest;                                                  \
        va_start(rest, flags);                                         \
        mode = va_arg(rest, mode_t);                                   \
        va_end(rest);                                                  \
    }

/* Not a part of `syscall`, which is also called by handlers of signals, on a small stack. */
__attribute__((noinline)) static long opened_by_openat2(__typeof__(&syscall) next, const long *a) {
    const char *part = getenv("FAULT_PATH");
    char link[64], whole[8192] = "";
    if (part) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", (int)a[0]);
        ssize_t length = readlink(link, whole, sizeof whole / 2);
        if (length < 0) length = 0;
        snprintf(whole + length, sizeof whole - length, "/%s", (const char *)a[1]);
    }
    int is_chosen = part && strstr(whole, part);
    if (is_chosen && !getenv("FAULT_SWAP")) {
        hang("open");
        if (getenv("FAULT_OPEN")) {
            errno = error_of("FAULT_OPEN", EMFILE);
            return -1;
        }
    }
    long fd = next(SYS_openat2, a[0], a[1], a[2], a[3]);
    if (fd >= 0 && is_chosen) plant("FAULT_SWAP", whole);
    return fd;
}

/* The C library has no function for openat2. All arguments of a system call are handed on, as many as it may have. */
long syscall(long call, ...) {
    static __typeof__(&syscall) next;
    long a[6];
    va_list rest;
    va_start(rest, call);
    for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
    va_end(rest);
    if (!next) next = NEXT(syscall);
    if (call == SYS_renameat2) {
        step_at("swap", a[0], (const char *)a[1]);
        if (getenv("FAULT_NO_SWAP")) {
            errno = EINVAL;
            return -1;
        }
    }
    return call == SYS_openat2 ? opened_by_openat2(next, a) : next(call, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int open(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int openat(int start, const char *path, int flags, ...) { MODE(flags) return opened(start, path, flags, mode); }
int openat64(int start, const char *path, int flags, ...) { MODE(flags) return opened(start, path, flags, mode); }

static int stated(int fd, struct stat64 *stat) {
    if (!chosen(fd, "FAULT_PATH")) return NEXT(fstat64)(fd, stat);
    hang("stat");
    int result = NEXT(fstat64)(fd, stat);
    if (result == 0 && getenv("FAULT_DEVICE")) {
        stat->st_mode = (stat->st_mode & ~S_IFMT) | S_IFBLK;
        stat->st_size = 0;
    }
    return result;
}

int fstat64(int fd, struct stat64 *stat) { return stated(fd, stat); }
int fstat(int fd, struct stat *stat) { return stated(fd, (struct stat64 *)stat); }

int ioctl(int fd, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (request != BLKGETSIZE64 || !getenv("FAULT_DEVICE") || !chosen(fd, "FAULT_PATH"))
        return NEXT(ioctl)(fd, request, argument);
    struct stat64 stat;
    if (NEXT(fstat64)(fd, &stat) < 0) return -1;
    long long again = number("FAULT_DEVICE", 0);
    *(unsigned long long *)argument = again && atomic_fetch_add(&sizes, 1) ? again : stat.st_size;
    return 0;
}

static int controlled(int fd, int command, long argument) {
    const char *direct = getenv("FAULT_NO_DIRECT");
    int refused = direct && !strcmp(direct, "flag") && command == F_SETFL && (argument & O_DIRECT);
    if (refused && chosen(fd, "FAULT_PATH")) {
        errno = EINVAL;
        return -1;
    }
    return NEXT(fcntl)(fd, command, argument);
}

#define ARGUMENT(command)                 \
    va_list rest;                         \
    va_start(rest, command);              \
    long argument = va_arg(rest, long);   \
    va_end(rest);

int fcntl(int fd, int command, ...) { ARGUMENT(command) return controlled(fd, command, argument); }
int fcntl64(int fd, int command, ...) { ARGUMENT(command) return controlled(fd, command, argument); }

/* One listing at a time is counted: the faults are for tests that list one directory. */
static _Atomic long listed;

static int listing_fails(DIR *directory) {
    if (getenv("FAULT_HANG") && chosen(dirfd(directory), "FAULT_PATH")) hang("list");
    long long after = number("FAULT_LIST", -1);
    if (after < 0 || !chosen(dirfd(directory), "FAULT_PATH") || atomic_fetch_add(&listed, 1) < after) return 0;
    errno = error_of("FAULT_ERRNO", EIO);
    return 1;
}

struct dirent64 *readdir64(DIR *directory) {
    if (listing_fails(directory)) return NULL;
    struct dirent64 *entry = NEXT(readdir64)(directory);
    if (entry && getenv("FAULT_UNKNOWN")) entry->d_type = DT_UNKNOWN;
    return entry;
}

struct dirent *readdir(DIR *directory) {
    if (listing_fails(directory)) return NULL;
    struct dirent *entry = NEXT(readdir)(directory);
    if (entry && getenv("FAULT_UNKNOWN")) entry->d_type = DT_UNKNOWN;
    return entry;
}

/* How many bytes may be written: -1 is a failure, with errno set. */
static ssize_t room(int fd, size_t count) {
    step_of("write", fd);
    if (fd < 0 || fd >= DESCRIPTORS || !chosen(fd, "FAULT_WRITE_PATH")) return count;
    long long most = number("FAULT_WRITE_SHORT", 0);
    if (most > 0 && (long long)count > most) count = most;
    if (most > 0 || getenv("FAULT_WRITE_PLANT")) return count;
    long long left = number("FAULT_WRITE_AFTER", 0) - atomic_load(&written[fd]);
    if (left <= 0 && count > 0) {
        const char *how = getenv("FAULT_WRITE_ERRNO");
        if (how && !strcmp(how, "KILL")) kill(getpid(), SIGKILL);
        errno = error_of("FAULT_WRITE_ERRNO", ENOSPC);
        return -1;
    }
    return (long long)count > left ? left : (ssize_t)count;
}

static ssize_t counted(int fd, ssize_t result) {
    if (result > 0 && getenv("FAULT_WRITE_PLANT") && chosen(fd, "FAULT_WRITE_PATH")) {
        char link[64], path[8192];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length < 0 ? 0 : length] = 0;
        plant("FAULT_WRITE_PLANT", path);
    }
    if (result > 0 && fd >= 0 && fd < DESCRIPTORS) atomic_fetch_add(&written[fd], result);
    return result;
}

ssize_t write(int fd, const void *bytes, size_t count) {
    ssize_t may = room(fd, count);
    return may < 0 ? may : counted(fd, NEXT(write)(fd, bytes, may));
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    ssize_t may = room(fd, count);
    return may < 0 ? may : counted(fd, NEXT(pwrite64)(fd, bytes, may, offset));
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) { return pwrite64(fd, bytes, count, offset); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
    size_t total = 0;
    for (int i = 0; i < count; i++) total += parts[i].iov_len;
    ssize_t may = room(fd, total);
    if (may < 0) return may;
    if ((size_t)may == total) return counted(fd, NEXT(writev)(fd, parts, count));
    /* Cut short: what fits of the first part that is not empty. */
    for (int i = 0; i < count; i++)
        if (parts[i].iov_len) {
            size_t part = parts[i].iov_len < (size_t)may ? parts[i].iov_len : (size_t)may;
            return counted(fd, NEXT(write)(fd, parts[i].iov_base, part));
        }
    return 0;
}

int rename(const char *from, const char *to) {
    const char *part = getenv("FAULT_WRITE_PATH");
    if (getenv("FAULT_RENAME") && part && strstr(from, part)) kill(getpid(), SIGKILL);
    return NEXT(rename)(from, to);
}

int renameat(int start, const char *from, int end, const char *to) {
    step_at("rename", start, from);
    return NEXT(renameat)(start, from, end, to);
}

int linkat(int start, const char *name, int end, const char *second, int flags) {
    step_at("link", start, name);
    return NEXT(linkat)(start, name, end, second, flags);
}

int unlinkat(int start, const char *name, int flags) {
    step_at("remove", start, name);
    return NEXT(unlinkat)(start, name, flags);
}

int fsync(int fd) {
    step_of("sync", fd);
    return NEXT(fsync)(fd);
}

int close(int fd) {
    if (fd >= 0 && fd < DESCRIPTORS) atomic_store(&written[fd], 0);
    return NEXT(close)(fd);
}

static _Atomic long threads;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    long long most = number("FAULT_THREADS", -1);
    if (most >= 0 && atomic_fetch_add(&threads, 1) >= most) return EAGAIN;
    return NEXT(pthread_create)(thread, attributes, body, argument);
}
