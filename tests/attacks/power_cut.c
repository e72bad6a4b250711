/* Records what a power cut would leave: the content of files and folders when they are synced.

Preloaded into a process (LD_PRELOAD). For every fsync of something below $CUT_ROOT it writes one
file into $CUT_LOG: NUMBER.file.INODE with the content of the file, or NUMBER.folder.INODE with the
lines "INODE NAME" of the folder. Nothing is given to the disk, so this is fast. */

#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
static int number = 0;

static int below_root(int file) {
    char link[64], path[PATH_MAX];
    const char *root = getenv("CUT_ROOT");
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (root == NULL || length < 0) return 0;
    path[length] = 0;
    return strncmp(path, root, strlen(root)) == 0;
}

static void record(int file) {
    struct stat about;
    if (!below_root(file) || fstat(file, &about) != 0) return;
    int folder = S_ISDIR(about.st_mode);
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/%06d.%s.%llu", getenv("CUT_LOG"), number++,
             folder ? "folder" : "file", (unsigned long long)about.st_ino);
    FILE *out = fopen(name, "w");
    if (out == NULL) abort();
    if (folder) {
        /* opened again, since the position in a folder is shared with what dup returns */
        DIR *entries = fdopendir(openat(file, ".", O_RDONLY | O_DIRECTORY));
        struct dirent *entry;
        while (entries != NULL && (entry = readdir(entries)) != NULL)
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                fprintf(out, "%llu %s\n", (unsigned long long)entry->d_ino, entry->d_name);
        if (entries != NULL) closedir(entries);
    } else {
        char link[64], part[4096];
        size_t length;
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        FILE *in = fopen(link, "r");
        if (in == NULL) abort();
        while ((length = fread(part, 1, sizeof part, in)) > 0) fwrite(part, 1, length, out);
        fclose(in);
    }
    fclose(out);
}

int fsync(int file) {
    pthread_mutex_lock(&busy);
    record(file);
    pthread_mutex_unlock(&busy);
    return 0;
}

int fdatasync(int file) { return fsync(file); }
