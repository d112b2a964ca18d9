//! Where the types of two results of a conditional differ: the attribute, the element or the length.

use std::collections::HashMap;

use hclvm_vm::{Arena, AttributeType, Safety, Type, unify};

/// Returns the sentence that names the first difference of two types without a common type; `None` if they differ as
/// a whole.
pub(super) fn difference(arena: &Arena, yes: Type<'_>, no: Type<'_>) -> Option<String> {
    TypeDifference { arena, path: String::new() }.of_types(yes, no)
}

/// The search for a difference. Recursion is bounded by the depth of the types.
struct TypeDifference<'f> {
    arena: &'f Arena,
    /// The path to the parts that are compared: empty, or as in `a.b[0]`.
    path: String,
}

impl TypeDifference<'_> {
    fn of_types(&mut self, yes: Type<'_>, no: Type<'_>) -> Option<String> {
        match (yes, no) {
            (Type::Object(yes), Type::Object(no)) => self.of_objects(yes, no),
            (Type::Tuple(yes), Type::Tuple(no)) if yes.len() != no.len() => {
                let (yes, no) = (yes.len(), no.len());
                Some(match &*self.path {
                    "" => format!("The true result has length {yes}, the false result length {no}."),
                    path => format!(
                        "\"{path}\" has length {yes} in the true result and length {no} in the false result."
                    ),
                })
            }
            (Type::Tuple(yes), Type::Tuple(no)) => yes
                .iter()
                .zip(no)
                .enumerate()
                .find(|(_, (yes, no))| !self.have_common_type(**yes, **no))
                .and_then(|(at, (yes, no))| self.inside(&format!("[{at}]"), *yes, *no)),
            (Type::List(yes), Type::List(no))
            | (Type::Set(yes), Type::Set(no))
            | (Type::Map(yes), Type::Map(no)) => self.inside("[*]", *yes, *no),
            _ if self.path.is_empty() => None,
            _ => {
                let (path, yes, no) = (&self.path, yes.friendly_name(), no.friendly_name());
                Some(format!("\"{path}\" is {yes} in the true result and {no} in the false result."))
            }
        }
    }

    fn of_objects(&mut self, yes: &[AttributeType<'_>], no: &[AttributeType<'_>]) -> Option<String> {
        let [in_yes, in_no] = [yes, no].map(|attributes| {
            let named = attributes.iter().map(|attribute| (attribute.name, attribute.ty));
            named.collect::<HashMap<&str, Type<'_>>>()
        });
        let only = |these: &[AttributeType<'_>], those: &HashMap<&str, Type<'_>>| {
            let mut names = these.iter().map(|attribute| attribute.name);
            names.find(|name| !those.contains_key(name)).map(|name| self.member(name))
        };
        if let Some(path) = only(yes, &in_no) {
            return Some(format!("\"{path}\" is only in the true result."));
        }
        if let Some(path) = only(no, &in_yes) {
            return Some(format!("\"{path}\" is only in the false result."));
        }
        let mut pairs = yes.iter().filter_map(|yes| Some((yes, *in_no.get(yes.name)?)));
        let (yes, no) = pairs.find(|(yes, no)| !self.have_common_type(yes.ty, *no))?;
        let outer = self.path.clone();
        self.path = self.member(yes.name);
        let found = self.of_types(yes.ty, no);
        self.path = outer;
        found
    }

    /// Returns the path of an attribute.
    fn member(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Compares elements.
    fn inside(&mut self, step: &str, yes: Type<'_>, no: Type<'_>) -> Option<String> {
        let length = self.path.len();
        self.path.push_str(step);
        let found = self.of_types(yes, no);
        self.path.truncate(length);
        found
    }

    fn have_common_type(&self, yes: Type<'_>, no: Type<'_>) -> bool {
        unify(self.arena, &[yes, no], Safety::Unsafe).is_some()
    }
}
