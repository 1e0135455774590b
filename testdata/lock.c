/* Opens files of Windows so that no other program can, says so, and holds them until its input ends. */
#include <stdio.h>
#include <windows.h>

int wmain(int count, wchar_t **paths)
{
    for (int i = 1; i < count; i++) {
        if (CreateFileW(paths[i], GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL) == INVALID_HANDLE_VALUE) {
            fprintf(stderr, "lock: error %lu\n", GetLastError());
            return 1;
        }
    }
    puts("held");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
