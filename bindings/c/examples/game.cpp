// A game loop in C++17 whose rules reload while it runs: a text with errors leaves the last good one in use.
#include <hclvm.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace {

/// Frees a handle with the function of its type.
template <auto Free> struct Deleter {
    template <typename T> void operator()(T *handle) const { Free(handle); }
};
template <typename T, auto Free> using Handle = std::unique_ptr<T, Deleter<Free>>;

using Engine = Handle<hclvm_engine, hclvm_engine_free>;
using Document = Handle<hclvm_document, hclvm_document_free>;
using Program = Handle<hclvm_program, hclvm_program_free>;
using Scope = Handle<hclvm_scope, hclvm_scope_free>;
using Session = Handle<hclvm_session, hclvm_session_free>;
using Error = Handle<hclvm_error, hclvm_error_free>;

hclvm_text text(std::string_view view) { return {view.data(), view.size()}; }
std::string_view view(hclvm_text text) { return {text.data, text.length}; }

/// The rules of the game, compiled.
struct Rules {
    Document document;
    Program damage;
    Scope scope;
    std::size_t level;

    /// Takes a document into use. Returns false, and keeps the rules as they are, if it has no damage.
    bool load(Document next, hclvm_error **error) {
        if (!next) {
            return false;
        }
        const hclvm_text path[] = {text("weapon"), text("sword"), text("damage")};
        Program program(hclvm_document_program(next.get(), path, 3, error));
        if (!program) {
            return false;
        }
        damage = std::move(program);
        scope.reset(hclvm_document_scope(next.get(), nullptr));
        level = hclvm_scope_slot(scope.get(), text("level"));
        document = std::move(next);
        return true;
    }
};

} // namespace

int main() {
    // What a host reads from a file when its time of modification changes.
    constexpr std::string_view VERSIONS[] = {
        "weapon \"sword\" { damage = 10 + 2 * level }",
        "weapon \"sword\" { damage = 10 + }",
        "weapon \"sword\" { damage = 5 * level }",
    };
    hclvm_error *raw = nullptr;
    Engine engine(hclvm_engine_new(nullptr, nullptr));
    Session session(hclvm_session_new(engine.get(), nullptr));
    Rules rules;
    if (!rules.load(Document(hclvm_engine_parse(engine.get(), text("game.hcl"), text(VERSIONS[0]), &raw)), &raw)) {
        Error error(raw);
        std::fprintf(stderr, "%s\n", view(hclvm_error_report(error.get())).data());
        return EXIT_FAILURE;
    }
    for (int frame = 0; frame < 6; frame++) {
        if (frame == 2 || frame == 4) {
            const std::string_view changed = VERSIONS[frame / 2];
            raw = nullptr;
            if (rules.load(Document(hclvm_document_update(rules.document.get(), text(changed), &raw)), &raw)) {
                std::printf("reloaded\n");
            } else {
                Error error(raw);
                hclvm_diagnostic first;
                hclvm_error_diagnostic(error.get(), 0, &first);
                std::printf("kept: %.*s in line %u\n", static_cast<int>(first.title.length), first.title.data, first.line);
            }
        }
        std::int64_t damage = 0;
        hclvm_scope_set_int_at(rules.scope.get(), rules.level, frame, nullptr);
        hclvm_value_int(hclvm_session_run(session.get(), rules.damage.get(), rules.scope.get(), nullptr), &damage);
        std::printf("frame %d: damage %d\n", frame, static_cast<int>(damage));
    }
    return EXIT_SUCCESS;
}
