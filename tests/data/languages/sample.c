/*
 * License line one.
 * License line two.
 * License line three.
 */
#include <stdio.h>
#include "other.h"

#define LIMIT 10
#define SQUARE(x) \
    ((x) * (x))

typedef unsigned int uint;
typedef int (*callback)(void *data, int n);

struct point {
    int x;
    int (*move)(int);
};

typedef struct {
    int a;
} Anonymous;

typedef struct node {
    struct node *next;
} node;

enum color { RED, GREEN };

union bits {
    int i;
    float f;
};

static const int table[] = {
    1,
    2,
};

int global;
extern char *name(void);
static int forward(int a, int b);
const char **many(void);

/* Adds. */
static inline int
add(int a, int b)
{
    return a + b;
}

#ifdef DEBUG
void *trace(const char *text) {
    return 0;
}
#else
#define trace(x) 0
#endif

int main(int argc, char **argv) {
    if (argc) {
        puts("x");
    }
    return add(1, 2);
}

int (*chooser(int kind))(int) {
    return 0;
}

MODULE_API int exported(struct point *p) {
    return p->x;
}

int old_style(a, b)
    int a;
    char *b;
{
    return a;
}
