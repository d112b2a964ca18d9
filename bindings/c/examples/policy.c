/* A policy in C99: a request is set by typed setters and a builder, the decision is read from a view. */
#include <hclvm.h>
#include <stdio.h>
#include <stdlib.h>

static const char POLICY[] =
    "rule \"locked\" {\n"
    "  when   = resource.locked && request.method != \"GET\"\n"
    "  effect = \"deny\"\n"
    "  reason = \"${resource.id} is locked\"\n"
    "}\n"
    "rule \"owner\" {\n"
    "  when        = request.user == resource.owner\n"
    "  effect      = \"allow\"\n"
    "  obligations = { log = true }\n"
    "}\n";

/* Ends the program with the report of an error. */
static void fail(hclvm_error *error) {
    hclvm_text report = hclvm_error_report(error);
    fprintf(stderr, "%.*s\n", (int)report.length, report.data);
    hclvm_error_free(error);
    exit(1);
}

static void text_entry(hclvm_builder *builder, const char *name, const char *value) {
    hclvm_builder_key(builder, hclvm_text_of(name));
    hclvm_builder_text(builder, hclvm_text_of(value));
}

static void set(hclvm_scope *scope, const char *name, hclvm_builder *builder) {
    hclvm_error *error = NULL;
    if (!hclvm_scope_set_built(scope, hclvm_text_of(name), builder, &error)) {
        fail(error);
    }
}

int main(void) {
    static const char *const METHODS[] = {"GET", "PUT"};
    hclvm_error *error = NULL;
    hclvm_engine *engine = hclvm_engine_new(NULL, &error);
    hclvm_document *document =
        hclvm_engine_parse(engine, hclvm_text_of("policy.hcl"), hclvm_text_of(POLICY), &error);
    if (document == NULL) {
        fail(error);
    }
    hclvm_policy *policy = hclvm_policy_new(document, NULL, &error);
    if (policy == NULL) {
        fail(error);
    }
    hclvm_scope *scope = hclvm_document_scope(document, NULL);
    hclvm_session *session = hclvm_session_new(engine, NULL);
    hclvm_builder *builder = hclvm_builder_new();

    hclvm_builder_begin_object(builder);
    text_entry(builder, "id", "r7");
    text_entry(builder, "owner", "ann");
    hclvm_builder_key(builder, hclvm_text_of("locked"));
    hclvm_builder_bool(builder, true);
    hclvm_builder_end(builder);
    set(scope, "resource", builder);

    for (size_t at = 0; at < 2; at++) {
        hclvm_decision decision;
        hclvm_builder_begin_object(builder);
        text_entry(builder, "user", "ann");
        text_entry(builder, "method", METHODS[at]);
        hclvm_builder_end(builder);
        set(scope, "request", builder);
        if (!hclvm_policy_decide(policy, session, scope, &decision, &error)) {
            fail(error);
        }
        printf("%s: %.*s by %.*s", METHODS[at], (int)decision.effect.length, decision.effect.data,
               (int)decision.rule.length, decision.rule.data);
        if (decision.reason.data != NULL) {
            printf(", because %.*s", (int)decision.reason.length, decision.reason.data);
        }
        for (size_t number = 0; number < decision.obligation_count; number++) {
            hclvm_string *json = hclvm_value_json(decision.obligations[number], NULL);
            hclvm_text text = hclvm_string_text(json);
            printf(", with %.*s", (int)text.length, text.data);
            hclvm_string_free(json);
        }
        printf("\n");
    }

    hclvm_builder_free(builder);
    hclvm_session_free(session);
    hclvm_scope_free(scope);
    hclvm_policy_free(policy);
    hclvm_document_free(document);
    hclvm_engine_free(engine);
    return 0;
}
