//! Functions prepared for calls whose arguments are constants in part: a pattern is compiled once with the program that
//! contains it, instead of being looked up in each call.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use smol_str::SmolStr;

use super::Function;

/// The arguments of a call that are constant texts; `None` for the others.
type Texts = Box<[Option<SmolStr>]>;

/// Creates the form of a function for constant texts as arguments; `None` if there is none, or if it would not be worth
/// its memory. The form gets all arguments, and computes for these texts what the function computes.
type Preparation = dyn Fn(&[Option<&str>]) -> Option<Function> + Send + Sync;

/// How a function prepares for constant arguments, and the forms that programs have.
pub(super) struct Preparing {
    prepare: Box<Preparation>,
    /// Programs with equal texts share a form, so that their calls can be recognized as equal.
    forms: Mutex<PreparedForms>,
}

/// The forms that programs have, and some that were dropped.
struct PreparedForms {
    by_texts: HashMap<Texts, Weak<Function>>,
    /// The number of forms at which those that were dropped are forgotten.
    forget_at: usize,
}

impl fmt::Debug for Preparing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preparing").finish_non_exhaustive()
    }
}

/// What a prepared function was made of.
#[derive(Clone, Debug)]
pub(super) struct PreparationOrigin {
    function: Arc<Function>,
    texts: Texts,
}

/// Forms that are dropped are forgotten when there are this many, and then whenever the number of others has doubled.
const FORGET_FROM: usize = 64;

impl PreparedForms {
    fn get(&self, texts: &[Option<SmolStr>]) -> Option<Arc<Function>> {
        self.by_texts.get(texts)?.upgrade()
    }

    fn insert(&mut self, texts: Texts, form: &Arc<Function>) {
        if self.by_texts.len() >= self.forget_at {
            self.by_texts.retain(|_, form| form.strong_count() > 0);
            self.forget_at = usize::max(FORGET_FROM, 2 * self.by_texts.len());
        }
        self.by_texts.insert(texts, Arc::downgrade(form));
    }
}

impl Preparing {
    pub(super) fn new(prepare: Box<Preparation>) -> Self {
        let forms = PreparedForms { by_texts: HashMap::new(), forget_at: FORGET_FROM };
        Self { prepare, forms: Mutex::new(forms) }
    }

    /// Returns the form of a function that prepares in this way.
    fn form(&self, function: &Arc<Function>, texts: &[Option<&str>]) -> Option<Arc<Function>> {
        let texts: Texts = texts.iter().map(|text| text.map(SmolStr::from)).collect();
        let forms = || self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = forms().get(&texts) {
            return Some(known);
        }
        let given: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        // Without the lock: it may take a while.
        let form = (self.prepare)(&given)?;
        let origin = PreparationOrigin { function: Arc::clone(function), texts: texts.clone() };
        let form = Function { name: function.name.clone(), origin: Some(Box::new(origin)), ..form };
        let mut forms = forms();
        if let Some(known) = forms.get(&texts) {
            return Some(known);
        }
        let form = Arc::new(form);
        forms.insert(texts, &form);
        Some(form)
    }
}

impl Function {
    /// Declares how the function prepares for arguments that are constant texts. The function is called as before where
    /// there is no such argument, and in the baseline tier.
    pub fn preparing(
        mut self,
        prepare: impl Fn(&[Option<&str>]) -> Option<Function> + Send + Sync + 'static,
    ) -> Self {
        self.preparing = Some(Arc::new(Preparing::new(Box::new(prepare))));
        self
    }

    /// Returns true if constant texts as arguments may be prepared.
    pub const fn prepares(&self) -> bool {
        self.preparing.is_some()
    }

    /// Returns the form of a function for calls with these constant texts as arguments; `None` for an argument that is
    /// none. Returns `None` if the function has no form for them.
    pub fn prepared(self: &Arc<Self>, texts: &[Option<&str>]) -> Option<Arc<Self>> {
        self.preparing.as_ref()?.form(self, texts)
    }

    /// Returns the function of which this one is a form for constant texts, and the texts.
    pub fn origin(&self) -> Option<(&Arc<Self>, &[Option<SmolStr>])> {
        let origin = self.origin.as_ref()?;
        Some((&origin.function, &origin.texts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Type;
    use crate::value::Value;

    fn length_of(text: &str) -> Function {
        let length = crate::cast::signed(text.len());
        Function::new("of this text", [], Type::Number, move |_, _, _| Ok(Value::int(length)))
    }

    fn prepares_first() -> Arc<Function> {
        Arc::new(
            Function { name: "length".into(), ..length_of("") }
                .preparing(|texts| texts.first().copied().flatten().map(length_of)),
        )
    }

    #[test]
    fn equal_texts_share_a_form_while_it_is_used() {
        let function = prepares_first();
        let form = function.prepared(&[Some("abc"), None]).expect("it prepares");
        assert_eq!(form.name, "length");
        assert!(!form.prepares());
        let (origin, texts) = form.origin().expect("it is a form");
        assert!(Arc::ptr_eq(origin, &function) && texts[0].as_deref() == Some("abc") && texts[1].is_none());
        assert!(Arc::ptr_eq(&form, &function.prepared(&[Some("abc"), None]).expect("it prepares")));
        assert!(!Arc::ptr_eq(&form, &function.prepared(&[Some("abd"), None]).expect("it prepares")));
        assert!(function.prepared(&[None, Some("abc")]).is_none());
    }

    #[test]
    fn forms_that_no_program_has_are_forgotten() {
        let function = prepares_first();
        let kept = function.prepared(&[Some("kept")]).expect("it prepares");
        for at in 0..10_000 {
            function.prepared(&[Some(&at.to_string())]).expect("it prepares");
        }
        let forms = function.preparing.as_ref().expect("it prepares").forms.lock().expect("no panic");
        assert!(forms.by_texts.len() <= FORGET_FROM, "{}", forms.by_texts.len());
        drop(forms);
        assert!(Arc::ptr_eq(&kept, &function.prepared(&[Some("kept")]).expect("it prepares")));
    }
}
