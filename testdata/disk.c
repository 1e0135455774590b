/* Makes reading as slow as from a spinning disk, for tests and measurements: build it with
 * `cc -shared -fPIC -o disk.so disk.c -ldl -lpthread -lm` and run a program with LD_PRELOAD=disk.so and DISK_PATH.
 *
 *   DISK_PATH      files whose paths contain this text lie on the disk (default: none do)
 *   DISK_SCALE     all times are multiplied by this (default 1); 0 only counts
 *   DISK_REPORT    a file that gets a line `seeks N reads N bytes N ms N` when the program ends
 *   DISK_SYS       a directory that stands for /sys/dev/block: with a directory MAJOR:MINOR in it that has
 *                  queue/rotational, the program takes the device for what is written there
 *
 * The disk has one head, and one request at a time moves it. A file lies where its first extent lies (FIEMAP), or
 * else at its inode number times 1 MiB, in one piece. Going to another place costs 1 ms, up to 13 ms more by the
 * root of the distance (8 ms on average over the disk), and 4.2 ms until the sector comes by; going on costs
 * nothing, and a gap of less than a track is passed over. Bytes come at 150 MB/s. As the kernel does, a read fetches
 * 128 KiB at least, and reads that find their bytes fetched are free. Only the first reading of bytes costs; what
 * really happens on the machine's own disk costs extra, so have the files in memory: cachestat tells of them what was
 * fetched from the simulated disk.
 *
 * Interposed: read, pread, pread64, close, realpath, syscall (for cachestat). Calls that the C library makes inside itself are not seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
enum { DESCRIPTORS = 65536 };

static const double DISK = 1e12, RATE = 150e6, SETTLE = 1e-3, ACROSS = 13.1e-3, ROTATION = 4.2e-3;
static const long long AHEAD = 128 << 10, TRACK = 1 << 20;

/* What is known of an open file: whether it lies on the disk, where, and up to where it was fetched. */
static struct { int known, on_disk; long long start, size, from, to; } files[DESCRIPTORS];
static long long head, seeks, reads, bytes;
static double busy;
static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;

static long long place(int fd) {
    char room[sizeof(struct fiemap) + sizeof(struct fiemap_extent)] = {0};
    struct fiemap *map = (struct fiemap *)room;
    struct stat stat;
    map->fm_length = FIEMAP_MAX_OFFSET;
    map->fm_extent_count = 1;
    if (!ioctl(fd, FS_IOC_FIEMAP, map) && map->fm_mapped_extents && map->fm_extents[0].fe_physical)
        return map->fm_extents[0].fe_physical;
    return fstat(fd, &stat) ? 0 : (long long)stat.st_ino << 20;
}

static int on_disk(int fd) {
    const char *part = getenv("DISK_PATH");
    char link[64], path[PATH_MAX];
    struct stat stat;
    if (fd < 0 || fd >= DESCRIPTORS || !part) return 0;
    if (!files[fd].known) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length < 0 ? 0 : length] = 0;
        files[fd].on_disk = strstr(path, part) && !fstat(fd, &stat) && S_ISREG(stat.st_mode);
        files[fd].start = files[fd].on_disk ? place(fd) : 0;
        files[fd].size = stat.st_size;
        files[fd].from = files[fd].to = 0;
        files[fd].known = 1;
    }
    return files[fd].on_disk;
}

static double seek_to(long long position) {
    long long distance = position - head;
    if (distance >= 0 && distance < TRACK) return distance / RATE;
    seeks++;
    return SETTLE + ACROSS * sqrt(llabs(distance) / DISK) + ROTATION;
}

/* Takes as long as the disk would for these bytes of a file. */
static void fetch(int fd, long long offset, long long count) {
    const char *scale = getenv("DISK_SCALE");
    int kept = errno;
    pthread_mutex_lock(&disk);
    if (on_disk(fd) && count > 0 && (offset < files[fd].from || offset + count > files[fd].to)) {
        if (offset < files[fd].from || offset > files[fd].to) files[fd].from = files[fd].to = offset;
        long long start = files[fd].to, end = offset + (count > AHEAD ? count : AHEAD);
        if (end > files[fd].size) end = files[fd].size > offset + count ? files[fd].size : offset + count;
        double takes = seek_to(files[fd].start + start) + (end - start) / RATE;
        head = files[fd].start + end;
        files[fd].to = end;
        busy += takes;
        reads++;
        bytes += end - start;
        takes *= scale ? atof(scale) : 1;
        struct timespec time = {(time_t)takes, (long)((takes - (time_t)takes) * 1e9)};
        if (takes > 0) nanosleep(&time, NULL);
    }
    pthread_mutex_unlock(&disk);
    errno = kept;
}

ssize_t read(int fd, void *buffer, size_t count) {
    off64_t offset = getenv("DISK_PATH") ? lseek64(fd, 0, SEEK_CUR) : -1;
    ssize_t result = NEXT(read)(fd, buffer, count);
    if (offset >= 0 && result > 0) fetch(fd, offset, result);
    return result;
}

static ssize_t read_at(int fd, void *buffer, size_t count, off64_t offset) {
    ssize_t result = NEXT(pread64)(fd, buffer, count, offset);
    if (result > 0) fetch(fd, offset, result);
    return result;
}

ssize_t pread(int fd, void *buffer, size_t count, off_t offset) { return read_at(fd, buffer, count, offset); }
ssize_t pread64(int fd, void *buffer, size_t count, off64_t offset) { return read_at(fd, buffer, count, offset); }

int close(int fd) {
    if (fd >= 0 && fd < DESCRIPTORS) {
        pthread_mutex_lock(&disk);
        files[fd].known = 0;
        pthread_mutex_unlock(&disk);
    }
    return NEXT(close)(fd);
}

char *realpath(const char *path, char *resolved) {
    static const char numbers[] = "/sys/dev/block/";
    const char *other = getenv("DISK_SYS");
    char instead[PATH_MAX];
    if (!other || !path || strncmp(path, numbers, sizeof numbers - 1)) return NEXT(realpath)(path, resolved);
    snprintf(instead, sizeof instead, "%s/%s", other, path + sizeof numbers - 1);
    return NEXT(realpath)(instead, resolved);
}

struct range { uint64_t offset, length; };

/* How many pages of a range were fetched: the first number of five. */
static int cached(int fd, const struct range *range, uint64_t *counts) {
    long long from = range->offset, to = from + range->length;
    if (from < files[fd].from) from = files[fd].from;
    if (to > files[fd].to) to = files[fd].to;
    memset(counts, 0, 5 * sizeof *counts);
    counts[0] = to > from ? (to + 4095) / 4096 - from / 4096 : 0;
    return 0;
}

long syscall(long number, ...) {
    enum { CACHESTAT = 451 };
    long words[6];
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; i++) words[i] = va_arg(rest, long);
    va_end(rest);
    if (number == CACHESTAT && getenv("DISK_PATH")) {
        pthread_mutex_lock(&disk);
        int ours = on_disk(words[0]);
        int result = ours ? cached(words[0], (const struct range *)words[1], (uint64_t *)words[2]) : 0;
        pthread_mutex_unlock(&disk);
        if (ours) return result;
    }
    static __typeof__(&syscall) next;
    if (!next) next = NEXT(syscall);
    return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("DISK_REPORT");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    fprintf(file, "seeks %lld reads %lld bytes %lld ms %.0f\n", seeks, reads, bytes, busy * 1e3);
    fclose(file);
}
