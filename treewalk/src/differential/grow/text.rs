//! Generates templates: interpolations, directives, strip markers, heredocs.

use super::{Grower, Kind};

/// The form of a template.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Quoted,
    Heredoc,
}

impl Grower<'_, '_> {
    pub(super) fn text(&mut self, depth: u32) {
        if self.random.percent(15) {
            return self.heredoc(depth);
        }
        self.put("\"");
        self.parts(Form::Quoted, depth);
        self.put("\"");
    }

    /// Generates a heredoc in parentheses, because the newline after its marker would end an expression.
    fn heredoc(&mut self, depth: u32) {
        self.put("(");
        self.pick_put(&["<<EOT\n", "<<-EOT\n"]);
        let lines = self.random.below(3);
        for _ in 0..lines {
            self.pick_put(&["", "  ", "\t"]);
            self.parts(Form::Heredoc, depth);
            self.put("\n");
        }
        self.put("EOT\n)");
    }

    fn parts(&mut self, form: Form, depth: u32) {
        let count = self.random.below(4);
        for _ in 0..count {
            match self.random.below(10) {
                0..=3 => self.words(form),
                4..=7 => self.interpolation(depth),
                8 => self.if_directive(form, depth),
                _ => self.for_directive(form, depth),
            }
        }
    }

    fn words(&mut self, form: Form) {
        self.pick_put(&["a", " b ", "https://", "e", "\u{301}", "$", "%%{", "$${", "12", "👍", "-"]);
        if form == Form::Quoted && self.random.percent(20) {
            self.pick_put(&["\\n", "\\\"", "\\u00e9", "\\t"]);
        }
    }

    fn interpolation(&mut self, depth: u32) {
        self.pick_put(&["${", "${", "${~ "]);
        let kind = self.random.pick(&[Kind::Text, Kind::Text, Kind::Number, Kind::Any]);
        self.expr(kind, depth);
        self.pick_put(&["}", "}", " ~}"]);
    }

    fn directive(&mut self, inside: impl FnOnce(&mut Self)) {
        self.pick_put(&["%{ ", "%{ ", "%{~ "]);
        inside(self);
        self.pick_put(&[" }", " }", " ~}"]);
    }

    fn if_directive(&mut self, form: Form, depth: u32) {
        self.directive(|grower| {
            grower.put("if ");
            grower.expr(Kind::Bool, depth);
        });
        self.parts(form, depth.saturating_sub(1));
        if self.random.percent(50) {
            self.directive(|grower| grower.put("else"));
            self.parts(form, depth.saturating_sub(1));
        }
        self.directive(|grower| grower.put("endif"));
    }

    fn for_directive(&mut self, form: Form, depth: u32) {
        let outer = self.bound.len();
        let name = self.random.pick(&["x", "y", "i"]);
        self.directive(|grower| {
            grower.put("for ");
            grower.put(name);
            grower.put(" in ");
            grower.expr(Kind::Sequence, depth);
        });
        self.bound.push((name, Kind::Any));
        self.parts(form, depth.saturating_sub(1));
        self.bound.truncate(outer);
        self.directive(|grower| grower.put("endfor"));
    }
}
