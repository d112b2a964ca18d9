//! Hot reload for [hclvm]: files are watched, the last good document stays in use, and each reload reports what it
//! changed.
//!
//! ```
//! use std::fs;
//! use hclvm::Engine;
//! use hclvm_reload::{Files, Options, Outcome, Reload};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("game.hcl");
//! fs::write(&path, "speed = player.rank * 2\n")?;
//! let reload = Reload::builder(&Engine::new(), Files::new(&path))
//!     .scope(|scope, _| scope.set_all_json(r#"{"player": {"rank": 3}}"#)) // reports show the values under it
//!     .open(|candidate| {
//!         let has_speed = candidate.document().attribute("speed").is_some();
//!         if has_speed { Ok(candidate.module()?) } else { Err("The game has no speed.".into()) }
//!     })?;
//!
//! // A host watches: `let watch = reload.watch(Options::default(), |outcome| println!("{outcome:?}"));`
//! // An example writes and looks itself.
//! let mut reload = reload;
//! let mut reader = reload.current().reader(); // one for each thread
//! let request = reader.current().clone(); // a request keeps what it began with
//!
//! fs::write(&path, "speed = player.rank * 5\n")?;
//! let Outcome::Reloaded(report) = reload.attempt() else { panic!("the file changed") };
//! assert_eq!(report.update.changed[0].path(), "speed");
//! assert_eq!(report.values[0].after.as_ref().and_then(|speed| speed.get().as_i64()), Some(15));
//! assert_eq!((request.epoch(), reader.current().epoch()), (0, 1));
//!
//! fs::write(&path, "sped = 7\n")?;
//! assert!(matches!(reload.attempt(), Outcome::Rejected(_)));
//! let rejected = reload.current().status().rejected.expect("it was rejected");
//! assert_eq!(rejected.problems.to_string(), "The game has no speed.");
//! assert_eq!(reader.current().epoch(), 1); // the last good one
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | part | what it does |
//! |---|---|
//! | [`Texts`], [`Source`], [`Files`] | reads texts and parses them as one document |
//! | [`Loader`], [`Selection`] | loads something else, such as a Packer module |
//! | [`Reload`] | attempts to replace the configuration in use: read, compare, parse, compile, evaluate, ask the host |
//! | [`Current`], [`Reader`], [`Loaded`] | what is in use, with its epoch and content hash; read without locks |
//! | [`Status`], [`Rejection`], [`Panic`] | what was rejected last, why, and when; panics of the host's functions |
//! | [`Report`] | what a reload changed: attributes, values, locals and what reads them; times |
//! | [`Reload::subscribe`] | shows a function of the changes at one path |
//! | [`Watch`], [`Watcher`], [`Options`] | file notifications or polling, quiet periods, a thread |
//!
//! A document replaces another one only if all of these hold: its files can be read, and none of them changes while
//! it is read or was emptied; it parses; its expressions compile; if there is a [scope](Builder::scope), its
//! evaluation has no errors; the host accepts it. Otherwise the last good one stays in use, and the problems are in
//! the status until another attempt.
//!
//! A panic of a function of the host, such as a loader, a subscriber or the function that accepts candidates, is caught:
//! the candidate is rejected, if there is one, and watching continues. [`Status::panic`] is the last one.
//!
//! What a file has not changed is not compiled again, also if its lines moved: see [`hclvm::Document::update`].

mod candidate;
mod documents;
mod hash;
mod loaded;
mod loader;
mod notices;
mod panics;
mod points;
mod reload;
mod report;
mod settle;
mod source;
mod status;
mod subscribers;
mod values;
mod watch;

pub use candidate::Candidate;
pub use hash::ContentHash;
pub use loaded::{Current, Loaded, Reader};
pub use loader::Loader;
pub use notices::{Notices, Waker};
pub use panics::{Panic, Part};
pub use reload::{Builder, Outcome, Reload};
pub use report::{FileChanges, Report, Times, ValueChange};
pub use settle::Settling;
pub use source::{Files, Selection, Source, Text, Texts, Unreadable, Watched};
pub use status::{Problems, Rejection, Status, Watching};
pub use subscribers::{Event, Subscription};
pub use watch::{Options, Watch, Watcher};
