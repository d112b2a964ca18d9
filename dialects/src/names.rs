//! The names that expressions of a module see, and the scope that holds their values.
//!
//! ```text
//! slots:  var  local  data  path …   var.region  var.size   local.a  local.b   network (an iterator)
//!         whole objects              each variable and local in a slot of its own
//! ```
//!
//! `var.region` reads one slot, so that setting a variable rebuilds no object. The objects are made only if an
//! expression reads one as a whole, as in `keys(local)`, or a name that has no slot.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use hclvm::analysis::{Key, Need, Paths, Traversal};
use hclvm::value::{Arena, Entry};
use hclvm::{Document, Error, Layout, OwnedValue, Scope, Value};
use smol_str::{SmolStr, format_smolstr};

/// The most names with slots; layouts have 65,535.
const MOST_SLOTS: usize = 60_000;

/// The layout of a module.
#[derive(Clone, Debug)]
pub(crate) struct ModuleLayout {
    layout: Arc<Layout>,
    /// The object roots that some expression reads as a whole.
    whole: Vec<SmolStr>,
}

impl ModuleLayout {
    /// Creates a layout with `roots`, and slots for the names below `objects`, each a root with its names.
    /// `documents` show which objects are read as a whole, and which iterators exist.
    pub(crate) fn new<'n>(
        roots: &[&str],
        objects: &[(&'n str, Vec<&'n SmolStr>)],
        documents: &[Document],
    ) -> Self {
        let iterators: Vec<SmolStr> = documents.iter().flat_map(Document::iterators).collect();
        // The content of a dynamic block whose iterator has the name of an object does not see the object.
        let is_hidden = |root: &str| iterators.iter().any(|one| one == root);
        let derived = objects.iter().filter(|(root, _)| !is_hidden(root));
        let derived =
            derived.flat_map(|(root, names)| names.iter().map(move |name| format_smolstr!("{root}.{name}")));
        let known = roots;
        let roots = roots.iter().map(SmolStr::new).chain(iterators.iter().cloned());
        let bound: Vec<SmolStr> =
            iterators.iter().filter(|name| !known.contains(&name.as_str())).cloned().collect();
        let layout = Arc::new(Layout::new(roots.chain(derived.take(MOST_SLOTS))).with_bound(bound));
        let objects: HashSet<&str> = objects.iter().map(|(root, _)| *root).collect();
        let mut whole: BTreeSet<SmolStr> = BTreeSet::new();
        for traversal in documents.iter().flat_map(Document::variables) {
            let root = traversal.root();
            if objects.contains(root) && !whole.contains(root) && reads_all(&layout, &traversal) {
                whole.insert(root.into());
            }
        }
        Self { layout, whole: whole.into_iter().collect() }
    }

    /// Returns a layout with the same names whose objects are always read as a whole, for objects that lack
    /// members: reading a member that failed is then an error, as in the application.
    pub(crate) fn without_slots(&self) -> Self {
        let roots = self.layout.names().iter().filter(|name| !name.contains('.'));
        let mut whole = self.whole.clone();
        whole.extend(
            self.layout.names().iter().filter_map(|name| Some(SmolStr::new(name.split_once('.')?.0))),
        );
        whole.sort();
        whole.dedup();
        let bound = self.layout.bound().iter().cloned();
        Self { layout: Arc::new(Layout::new(roots.cloned()).with_bound(bound)), whole }
    }

    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Returns true if an expression may read the object `root` as a whole.
    pub(crate) fn is_whole(&self, root: &str) -> bool {
        self.whole.iter().any(|one| one == root)
    }

    /// Returns true if an expression with these needs reads `root` as a whole.
    pub(crate) fn needs_object(&self, root: &str, paths: &Paths) -> bool {
        paths.get(root).is_some_and(|need| reads_object(&self.layout, root, need))
    }
}

/// Returns true if a traversal reads more of its object than a member that has a slot.
fn reads_all(layout: &Layout, traversal: &Traversal<'_>) -> bool {
    match traversal.steps().next() {
        Some((Key::Attribute(name) | Key::Text(name), _)) => layout.derived(traversal.root(), name).is_none(),
        _ => true,
    }
}

fn reads_object(layout: &Layout, root: &str, need: &Need) -> bool {
    need.is_whole() || need.names().any(|name| layout.derived(root, name).is_none())
}

/// Sets the slot of a member of an object, if it has one.
pub(crate) fn set_member(scope: &mut Scope, root: &str, name: &str, value: Value<'_>) -> Result<(), Error> {
    match scope.layout().derived(root, name) {
        Some(_) => scope.set_value(&format_smolstr!("{root}.{name}"), value),
        None => Ok(()),
    }
}

/// Sets a variable to an object of these members.
pub(crate) fn set_object<'v>(
    scope: &mut Scope,
    root: &str,
    members: impl IntoIterator<Item = (&'v str, Value<'v>)>,
) -> Result<(), Error> {
    scope.set_value(root, object(members).get())
}

/// Returns an object of these members. Of two with one name, the last one is kept.
pub(crate) fn object<'v>(members: impl IntoIterator<Item = (&'v str, Value<'v>)>) -> OwnedValue {
    // Entries of objects are sorted by name and distinct.
    let members: BTreeMap<&str, Value<'_>> = members.into_iter().collect();
    let arena = Arena::new();
    let entries: Vec<Entry<'_>> = members.into_iter().map(|(name, value)| Entry::new(name, value)).collect();
    OwnedValue::new(Value::object(&arena, arena.slice(&entries)))
}
