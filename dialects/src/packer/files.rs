//! The files of a template: which of a folder belong to it, and in which order.

use crate::application::{FileRole, FolderFile};
use crate::files::File;
use crate::problems::{Problems, TextRange};

/// The files of a folder, in the order in which Packer reads them.
pub(super) const FOLDER_FILES: [FolderFile; 4] = [
    FolderFile { pattern: "*.pkr.hcl", role: FileRole::Module },
    FolderFile { pattern: "*.pkr.json", role: FileRole::Module },
    FolderFile { pattern: "*.auto.pkrvars.hcl", role: FileRole::Variables },
    FolderFile { pattern: "*.auto.pkrvars.json", role: FileRole::Variables },
];

/// Returns true if a variable file is in JSON; `None` after reporting a name without a known suffix.
pub(super) fn is_json(file: &File, problems: &mut Problems) -> Option<bool> {
    match file.suffix() {
        "hcl" => Some(false),
        "json" => Some(true),
        _ => {
            let title = format!("Could not guess format of {}", file.name());
            let detail = "The name of a variable file ends in .hcl or .json.";
            problems.error(&TextRange::nowhere(file.name()), title, detail);
            None
        }
    }
}
