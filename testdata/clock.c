/* Lets the clock of whole seconds run a second each time it is asked, for tests of what depends on it: build it with
 * `cc -shared -fPIC -o clock.so clock.c` and run a program with LD_PRELOAD=clock.so. Interposed: time.
 */
#include <stdatomic.h>
#include <time.h>

static _Atomic time_t now = 1000000000;

time_t time(time_t *where) {
    time_t value = ++now;
    if (where) *where = value;
    return value;
}
