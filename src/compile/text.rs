//! The argument of [`Engine::compile`](crate::Engine::compile) and its siblings: a text, and the name that
//! messages call it.

/// A text to compile, with a name for messages. A plain string converts into a text without a name of
/// its own, which messages call `expression`, `template` or `json`.
///
/// ```
/// use hclvm::syntax::Text;
/// use hclvm::{Engine, Layout};
///
/// let (engine, layout) = (Engine::new(), std::sync::Arc::new(Layout::new(["user"])));
/// let error = engine.compile("user.age >", &layout).unwrap_err();
/// assert!(error.to_string().starts_with("expression:1:11: "));
/// let error = engine.compile(Text::named("rule", "user.age >"), &layout).unwrap_err();
/// assert!(error.to_string().starts_with("rule:1:11: "));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    name: Option<&'t str>,
    text: &'t str,
}

impl<'t> Text<'t> {
    /// Returns `text`, which messages call `name`: usually the file or the record that it comes from.
    pub fn named(name: &'t str, text: &'t str) -> Self {
        Self { name: Some(name), text }
    }

    /// Returns its name, or `default` if it has none.
    pub(crate) fn name_or(&self, default: &'t str) -> &'t str {
        self.name.unwrap_or(default)
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }
}

impl<'t, T: AsRef<str> + ?Sized> From<&'t T> for Text<'t> {
    fn from(text: &'t T) -> Self {
        Self { name: None, text: text.as_ref() }
    }
}
