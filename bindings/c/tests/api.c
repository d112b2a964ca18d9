/* Tests of the interface: results by view, errors, host functions, secrets, and every misuse that has a defined result. */
#include <hclvm.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static bool same(hclvm_text text, const char *expected) {
    return text.length == strlen(expected) && memcmp(text.data, expected, text.length) == 0;
}

static bool contains(hclvm_text text, const char *part) {
    size_t length = strlen(part);
    for (size_t at = 0; at + length <= text.length; at++) {
        if (memcmp(text.data + at, part, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Compiles an expression, which has to succeed. */
static hclvm_program *compiled(hclvm_engine *engine, const char *text) {
    hclvm_error *error = NULL;
    hclvm_program *program = hclvm_engine_compile(engine, hclvm_text_of(text), &error);
    CHECK(program != NULL && error == NULL);
    return program;
}

/* Checks that there is an error with a part of its message, and frees it. */
static void expect(hclvm_error **error, const char *part) {
    CHECK(*error != NULL);
    CHECK(contains(hclvm_error_message(*error), part));
    hclvm_error_free(*error);
    *error = NULL;
}

static void results_are_views(hclvm_engine *engine) {
    hclvm_error *error = NULL;
    hclvm_program *program = compiled(engine, "{ a = [n, 1.5, s, null, true], b = set }");
    hclvm_scope *scope = hclvm_program_scope(program, &error);
    hclvm_session *session = hclvm_session_new(engine, &error);
    static const char WITH_NULL[] = {'x', 0, 'y'};
    hclvm_text text = {WITH_NULL, 3};
    bool truth = false;
    int64_t whole = 0;
    double number = 0;
    CHECK(hclvm_scope_set_int(scope, hclvm_text_of("n"), -7, &error));
    CHECK(hclvm_scope_set_text_at(scope, hclvm_scope_slot(scope, hclvm_text_of("s")), text, &error));
    CHECK(hclvm_scope_set_json(scope, hclvm_text_of("set"), hclvm_text_of("{\"k\": 0.1}"), &error));
    hclvm_value result = hclvm_session_run(session, program, scope, &error);
    CHECK(hclvm_value_kind(result) == HCLVM_KIND_OBJECT && hclvm_value_length(result) == 2);
    CHECK(same(hclvm_value_key(result, 1), "b"));
    hclvm_value list = hclvm_value_get(result, hclvm_text_of("a"));
    CHECK(hclvm_value_kind(list) == HCLVM_KIND_TUPLE && hclvm_value_length(list) == 5);
    CHECK(hclvm_value_int(hclvm_value_at(list, 0), &whole) && whole == -7);
    CHECK(hclvm_value_double(hclvm_value_at(list, 1), &number) && number == 1.5);
    CHECK(hclvm_value_text(hclvm_value_at(list, 2), &text) && text.length == 3 && memcmp(text.data, WITH_NULL, 3) == 0);
    CHECK(hclvm_value_kind(hclvm_value_at(list, 3)) == HCLVM_KIND_NULL);
    CHECK(hclvm_value_bool(hclvm_value_at(list, 4), &truth) && truth);
    CHECK(!hclvm_value_int(hclvm_value_at(list, 1), &whole) && !hclvm_value_text(list, &text));
    CHECK(hclvm_value_kind(hclvm_value_at(list, 5)) == HCLVM_KIND_NONE);
    hclvm_string *json = hclvm_value_json(hclvm_value_at(result, 1), &error);
    CHECK(same(hclvm_string_text(json), "{\"k\":0.1}"));
    hclvm_string_free(json);
    hclvm_string *type = hclvm_value_type(list);
    CHECK(same(hclvm_string_text(type), "tuple([number, number, string, any, bool])"));
    hclvm_string_free(type);
    hclvm_session_free(session);
    hclvm_scope_free(scope);
    hclvm_program_free(program);
}

static void errors_have_diagnostics(hclvm_engine *engine) {
    hclvm_error *error = NULL;
    hclvm_diagnostic problem;
    hclvm_fix fix;
    CHECK(hclvm_engine_parse(engine, hclvm_text_of("a.hcl"), hclvm_text_of("a = lenght(b)\nc = 1 +\n"), &error) == NULL);
    CHECK(hclvm_error_diagnostic(error, 0, &problem));
    CHECK(problem.is_error && problem.line == 2 && problem.end >= problem.start && same(problem.filename, "a.hcl"));
    CHECK(!hclvm_error_diagnostic(error, 9, &problem) && !hclvm_error_is_limit(error));
    hclvm_error_free(error);
    error = NULL;

    hclvm_document *document = hclvm_engine_parse(engine, hclvm_text_of("a.hcl"), hclvm_text_of("a = lenght(b)"), &error);
    hclvm_error *problems = hclvm_document_check(document);
    CHECK(hclvm_error_diagnostic(problems, 0, &problem) && same(problem.code, "unknown-function"));
    CHECK(problem.fix_count == 1 && hclvm_error_fix(problems, 0, 0, &fix) && same(fix.text, "length") && fix.start == 4);
    CHECK(!hclvm_error_fix(problems, 0, 1, &fix) && contains(hclvm_error_report(problems), "help:"));
    hclvm_error_free(problems);
    CHECK(hclvm_document_update(document, hclvm_text_of("a ="), NULL) == NULL);
    hclvm_document_free(document);

    hclvm_string *formatted = hclvm_engine_format(engine, hclvm_text_of("a"), hclvm_text_of("a=1\nbb=2"), &error);
    CHECK(same(hclvm_string_text(formatted), "a  = 1\nbb = 2"));
    hclvm_string_free(formatted);
}

static void secrets_stay_hidden(hclvm_engine *engine) {
    hclvm_error *error = NULL;
    hclvm_text text;
    hclvm_program *program = compiled(engine, "\"x-${s.a}\"");
    hclvm_scope *scope = hclvm_program_scope(program, &error);
    hclvm_session *session = hclvm_session_new(engine, &error);
    CHECK(hclvm_scope_set_json(scope, hclvm_text_of("s"), hclvm_text_of("{\"a\": \"hunter2\"}"), &error));
    CHECK(hclvm_scope_mark(scope, hclvm_text_of("s.a"), hclvm_text_of("password"), &error));
    hclvm_value result = hclvm_session_run(session, program, scope, &error);
    CHECK(hclvm_value_kind(result) == HCLVM_KIND_MARKED && same(hclvm_value_mark(result, 0), "password"));
    CHECK(!hclvm_value_text(result, &text) && hclvm_value_json(result, &error) == NULL);
    CHECK(!contains(hclvm_error_report(error), "hunter2"));
    expect(&error, "marked");
    CHECK(hclvm_value_text(hclvm_value_reveal(result), &text) && same(text, "x-hunter2"));
    hclvm_session_free(session);
    hclvm_scope_free(scope);
    hclvm_program_free(program);
}

/* What the host functions of a test share. */
struct shared {
    hclvm_engine *engine;
    hclvm_session *session;
    hclvm_program *program;
    hclvm_scope *scope;
};

static void repeat(void *data, const hclvm_value *arguments, size_t count, hclvm_builder *result) {
    hclvm_text text = {NULL, 0};
    int64_t times = 0;
    (void)data;
    CHECK(count == 2 && hclvm_value_text(arguments[0], &text));
    if (!hclvm_value_int(arguments[1], &times)) {
        hclvm_builder_fail(result, hclvm_text_of("a whole number is required"));
        return;
    }
    hclvm_builder_begin_list(result);
    for (int64_t at = 0; at < times; at++) {
        hclvm_builder_text(result, text);
    }
    hclvm_builder_end(result);
}

static void reenter(void *data, const hclvm_value *arguments, size_t count, hclvm_builder *result) {
    struct shared *shared = data;
    hclvm_error *error = NULL;
    (void)arguments, (void)count;
    CHECK(hclvm_value_kind(hclvm_session_run(shared->session, shared->program, shared->scope, &error)) == HCLVM_KIND_NONE);
    expect(&error, "in use");
    CHECK(!hclvm_scope_set_int(shared->scope, hclvm_text_of("n"), 1, &error));
    expect(&error, "in use");
    hclvm_program *program = compiled(shared->engine, "1 + 1");
    hclvm_scope *scope = hclvm_program_scope(program, NULL);
    hclvm_session *session = hclvm_session_new(shared->engine, NULL);
    hclvm_builder_value(result, hclvm_session_run(session, program, scope, NULL));
    hclvm_session_free(session);
    hclvm_scope_free(scope);
    hclvm_program_free(program);
}

/* Evaluates its own expression again, in a session of its own. */
static void again(void *data, const hclvm_value *arguments, size_t count, hclvm_builder *result) {
    struct shared *shared = data;
    hclvm_error *error = NULL;
    (void)arguments, (void)count;
    hclvm_session *session = hclvm_session_new(shared->engine, NULL);
    hclvm_scope *scope = hclvm_program_scope(shared->program, NULL);
    hclvm_value value = hclvm_session_run(session, shared->program, scope, &error);
    if (error == NULL) {
        hclvm_builder_value(result, value);
    } else {
        hclvm_builder_fail(result, hclvm_error_message(error));
        hclvm_error_free(error);
    }
    hclvm_scope_free(scope);
    hclvm_session_free(session);
}

static void endless_recursion_is_an_error(void) {
    struct shared shared = {NULL, NULL, NULL, NULL};
    hclvm_function function;
    hclvm_options options;
    hclvm_error *error = NULL;
    char text[2048];
    memset(&function, 0, sizeof function);
    memset(&options, 0, sizeof options);
    function.name = hclvm_text_of("again");
    function.call = again;
    function.data = &shared;
    options.functions = &function;
    options.function_count = 1;
    shared.engine = hclvm_engine_new(&options, &error);
    /* Each evaluation takes as much stack as the limits allow. */
    memset(text, '[', 900);
    memcpy(text + 900, "again()", 7);
    memset(text + 907, ']', 900);
    text[1807] = 0;
    shared.program = compiled(shared.engine, text);
    shared.session = hclvm_session_new(shared.engine, NULL);
    shared.scope = hclvm_program_scope(shared.program, NULL);
    CHECK(hclvm_value_kind(hclvm_session_run(shared.session, shared.program, shared.scope, &error)) == HCLVM_KIND_NONE);
    expect(&error, "more than 8 evaluations call one another");
    hclvm_scope_free(shared.scope);
    hclvm_session_free(shared.session);
    hclvm_program_free(shared.program);
    hclvm_engine_free(shared.engine);
}

static void host_functions(void) {
    struct shared shared = {NULL, NULL, NULL, NULL};
    const hclvm_type types[] = {HCLVM_TYPE_STRING, HCLVM_TYPE_NUMBER};
    hclvm_function functions[2];
    hclvm_options options;
    hclvm_error *error = NULL;
    memset(functions, 0, sizeof functions);
    memset(&options, 0, sizeof options);
    functions[0].name = hclvm_text_of("repeat");
    functions[0].call = repeat;
    functions[0].parameters = types;
    functions[0].parameter_count = 2;
    functions[1].name = hclvm_text_of("reenter");
    functions[1].call = reenter;
    functions[1].data = &shared;
    functions[1].result = HCLVM_TYPE_NUMBER;
    options.functions = functions;
    options.function_count = 2;
    shared.engine = hclvm_engine_new(&options, &error);
    CHECK(shared.engine != NULL);
    shared.session = hclvm_session_new(shared.engine, &error);

    shared.program = compiled(shared.engine, "repeat(n, 2)");
    shared.scope = hclvm_program_scope(shared.program, &error);
    CHECK(hclvm_scope_set_int(shared.scope, hclvm_text_of("n"), 5, &error));
    hclvm_string *json =
        hclvm_value_json(hclvm_session_run(shared.session, shared.program, shared.scope, &error), &error);
    CHECK(same(hclvm_string_text(json), "[\"5\",\"5\"]"));
    hclvm_string_free(json);
    hclvm_scope_free(shared.scope);
    hclvm_program_free(shared.program);

    shared.program = compiled(shared.engine, "repeat(\"a\", n)");
    shared.scope = hclvm_program_scope(shared.program, &error);
    CHECK(hclvm_scope_set_double(shared.scope, hclvm_text_of("n"), 1.5, &error));
    hclvm_session_run(shared.session, shared.program, shared.scope, &error);
    expect(&error, "a whole number is required");
    hclvm_scope_free(shared.scope);
    hclvm_program_free(shared.program);

    int64_t whole = 0;
    shared.program = compiled(shared.engine, "reenter() + n");
    shared.scope = hclvm_program_scope(shared.program, &error);
    CHECK(hclvm_scope_set_int(shared.scope, hclvm_text_of("n"), 40, &error));
    CHECK(hclvm_value_int(hclvm_session_run(shared.session, shared.program, shared.scope, &error), &whole));
    CHECK(whole == 42);
    hclvm_scope_free(shared.scope);
    hclvm_program_free(shared.program);
    hclvm_session_free(shared.session);
    hclvm_engine_free(shared.engine);

    functions[1].call = NULL;
    CHECK(hclvm_engine_new(&options, &error) == NULL);
    expect(&error, "has no code");
}

static void misuse_is_an_error(hclvm_engine *engine) {
    hclvm_error *error = NULL;
    hclvm_text invalid = {"\xff\xfe", 2}, missing = {NULL, 3};
    hclvm_value none;
    memset(&none, 0, sizeof none);
    CHECK(hclvm_engine_compile(NULL, hclvm_text_of("1"), &error) == NULL);
    expect(&error, "a pointer is null");
    CHECK(hclvm_engine_compile(engine, invalid, &error) == NULL);
    expect(&error, "not UTF-8");
    CHECK(hclvm_engine_compile(engine, missing, &error) == NULL);
    expect(&error, "no data");
    CHECK(hclvm_engine_compile(engine, invalid, NULL) == NULL);
    CHECK(hclvm_value_kind(none) == HCLVM_KIND_NONE && hclvm_value_length(none) == 0);
    CHECK(hclvm_value_type(none) == NULL && hclvm_value_kind(hclvm_value_reveal(none)) == HCLVM_KIND_NONE);
    CHECK(hclvm_value_json(none, NULL) == NULL && hclvm_value_get(none, invalid).words[0] == NULL);
    CHECK(hclvm_value_kind(hclvm_session_run(NULL, NULL, NULL, &error)) == HCLVM_KIND_NONE);
    expect(&error, "null");

    hclvm_program *program = compiled(engine, "n"), *other = compiled(engine, "m");
    hclvm_scope *scope = hclvm_program_scope(program, &error);
    hclvm_session *session = hclvm_session_new(engine, &error);
    CHECK(hclvm_value_kind(hclvm_session_run(session, other, scope, &error)) == HCLVM_KIND_NONE);
    expect(&error, "layout");
    CHECK(!hclvm_scope_set_bool(scope, hclvm_text_of("nn"), true, &error));
    expect(&error, "did you mean \"n\"");
    CHECK(!hclvm_scope_set_bool_at(scope, HCLVM_NO_SLOT, true, &error));
    expect(&error, "no slot");
    CHECK(hclvm_scope_slot(scope, hclvm_text_of("nn")) == HCLVM_NO_SLOT);
    CHECK(hclvm_scope_slot(NULL, invalid) == HCLVM_NO_SLOT);

    hclvm_builder *builder = hclvm_builder_new();
    hclvm_builder_begin_object(builder);
    hclvm_builder_int(builder, 1);
    CHECK(!hclvm_scope_set_built(scope, hclvm_text_of("n"), builder, &error));
    expect(&error, "no key");
    hclvm_builder_begin_list(builder);
    CHECK(!hclvm_scope_set_built(scope, hclvm_text_of("n"), builder, &error));
    expect(&error, "not complete");
    for (int level = 0; level < 1000; level++) {
        hclvm_builder_begin_list(builder);
    }
    CHECK(!hclvm_scope_set_built(scope, hclvm_text_of("n"), builder, &error));
    expect(&error, "levels");
    hclvm_builder_end(builder);
    hclvm_builder_text(builder, invalid);
    CHECK(!hclvm_scope_set_built(scope, hclvm_text_of("n"), builder, &error));
    expect(&error, "to end");
    hclvm_builder_null(builder);
    CHECK(hclvm_scope_set_built(scope, hclvm_text_of("n"), builder, &error));
    CHECK(hclvm_value_kind(hclvm_session_run(session, program, scope, &error)) == HCLVM_KIND_NULL);
    CHECK(hclvm_scope_set_unknown(scope, hclvm_text_of("n"), &error));
    CHECK(hclvm_value_kind(hclvm_session_run(session, program, scope, &error)) == HCLVM_KIND_UNKNOWN);
    hclvm_builder_free(builder);
    hclvm_session_free(session);
    hclvm_scope_free(scope);
    hclvm_program_free(program);
    hclvm_program_free(other);

    hclvm_decision decision;
    CHECK(!hclvm_policy_decide(NULL, NULL, NULL, &decision, &error) && same(decision.effect, "deny"));
    expect(&error, "null");
    hclvm_engine_free(NULL);
    hclvm_session_free(NULL);
    hclvm_error_free(NULL);
    hclvm_string_free(NULL);
    hclvm_builder_null(NULL);
    CHECK(hclvm_error_message(NULL).data == NULL && hclvm_string_text(NULL).length == 0);
}

static void files_are_evaluated(hclvm_engine *engine) {
    hclvm_error *error = NULL;
    const char *text = "locals { base = 10 }\nweapon \"sword\" { damage = local.base * n }";
    hclvm_document *document = hclvm_engine_parse(engine, hclvm_text_of("game.hcl"), hclvm_text_of(text), &error);
    hclvm_scope *scope = hclvm_document_scope(document, &error), *fork;
    hclvm_session *session = hclvm_session_new(engine, &error);
    CHECK(hclvm_scope_set_int(scope, hclvm_text_of("n"), 2, &error));
    fork = hclvm_scope_fork(scope, &error);
    CHECK(hclvm_scope_unset(scope, hclvm_text_of("n"), &error));
    CHECK(hclvm_session_evaluate(session, document, scope, &error) == NULL);
    expect(&error, "n");
    hclvm_string *json = hclvm_session_evaluate(session, document, fork, &error);
    CHECK(same(hclvm_string_text(json), "{\"weapon\":{\"sword\":{\"damage\":20}}}"));
    hclvm_string_free(json);
    hclvm_session_free(session);
    hclvm_scope_free(fork);
    hclvm_scope_free(scope);
    hclvm_document_free(document);
}

int main(void) {
    hclvm_engine *engine = hclvm_engine_new(NULL, NULL);
    CHECK(engine != NULL);
    results_are_views(engine);
    errors_have_diagnostics(engine);
    secrets_stay_hidden(engine);
    host_functions();
    endless_recursion_is_an_error();
    misuse_is_an_error(engine);
    files_are_evaluated(engine);
    hclvm_engine_free(engine);
    return 0;
}
