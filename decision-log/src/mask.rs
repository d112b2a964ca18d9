//! Values that are not logged, by their paths.

/// What is written for a masked value.
pub(crate) const MASKED: &str = "{\"$masked\":true}";

/// The path of values that are not logged: names separated by dots, `*` for every attribute or element.
#[derive(Clone, Debug)]
pub(crate) struct Mask(Box<[String]>);

impl Mask {
    pub(crate) fn new(path: &str) -> Self {
        Self(path.split('.').map(str::to_owned).collect())
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.0
    }
}

/// The masks that apply below a value, without the names of the values around it.
pub(crate) type Below<'m> = Vec<&'m [String]>;

/// Returns the masks below the attribute `name`; `None` if that is masked.
pub(crate) fn below<'m>(masks: &[&'m [String]], name: &str) -> Option<Below<'m>> {
    let matching = masks.iter().filter_map(|mask| {
        let (first, rest) = mask.split_first()?;
        (first == "*" || first == name).then_some(rest)
    });
    let below: Below<'m> = matching.collect();
    below.iter().all(|rest| !rest.is_empty()).then_some(below)
}

/// Separates the next member or element from the one before it.
pub(crate) fn separate(out: &mut String) {
    if !out.ends_with(['{', '[']) {
        out.push(',');
    }
}
