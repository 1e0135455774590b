/* The random numbers of Windows, for wine 8, which lacks this library. It lies beside programs that are tested. */
#include <windows.h>

extern BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG count);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) {
    while (count > 0) {
        ULONG part = count > 1 << 20 ? 1 << 20 : (ULONG)count;
        if (!SystemFunction036(bytes, part)) return FALSE;
        bytes += part;
        count -= part;
    }
    return TRUE;
}
