/* Measures runs of an expression from C: calls RULE (NAME JSON)... prints the nanoseconds of a run whose scope stays, and of
   one that reads the values from JSON before it. */

#define _POSIX_C_SOURCE 199309L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <hclvm.h>

/* The rounds, of which the shortest counts, and how long each takes. */
enum { ROUNDS = 15 };
static const double ROUND = 0.04;

static int count;
static char **pairs;
static hclvm_program *program;
static hclvm_scope *scope;
static hclvm_session *session;

static bool run(void) {
    return hclvm_value_kind(hclvm_session_run(session, program, scope, NULL)) != HCLVM_KIND_NONE;
}

static bool run_with_json(void) {
    for (int at = 0; at + 1 < count; at += 2) {
        hclvm_text name = hclvm_text_of(pairs[at]);
        if (hclvm_scope_slot(scope, name) != HCLVM_NO_SLOT
            && !hclvm_scope_set_json(scope, name, hclvm_text_of(pairs[at + 1]), NULL)) {
            return false;
        }
    }
    return run();
}

static double seconds(bool (*call)(void), long times) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long at = 0; at < times; at++) {
        if (!call()) {
            fputs("the run failed\n", stderr);
            exit(1);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
}

static double nanoseconds(bool (*call)(void)) {
    long times = 1;
    while (seconds(call, times) < ROUND) {
        times *= 2;
    }
    double shortest = seconds(call, times);
    for (int round = 1; round < ROUNDS; round++) {
        double time = seconds(call, times);
        shortest = time < shortest ? time : shortest;
    }
    return shortest * 1e9 / (double)times;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        return 2;
    }
    hclvm_engine *engine = hclvm_engine_new(NULL, NULL);
    program = hclvm_engine_compile(engine, hclvm_text_of(argv[1]), NULL);
    scope = hclvm_program_scope(program, NULL);
    session = hclvm_session_new(engine, NULL);
    pairs = argv + 2;
    count = argc - 2;
    run_with_json();
    double kept = nanoseconds(run), read = nanoseconds(run_with_json);
    printf("%.1f %.1f\n", kept, read);
    hclvm_session_free(session);
    hclvm_scope_free(scope);
    hclvm_program_free(program);
    hclvm_engine_free(engine);
    return 0;
}
