//! Signatures of the functions that are called.

use gen_lsp_types::{
    ActiveParameter, Documentation, MarkupContent, MarkupKind, ParameterInformation,
    ParameterInformationLabel, SignatureHelp, SignatureInformation,
};

use super::completion::documentation;
use super::context::surroundings;
use crate::analysis::Analysis;
use crate::lines::size;

/// Returns the signature of the innermost call around a byte.
pub(crate) fn signature(analysis: &Analysis, offset: u32) -> Option<SignatureHelp> {
    let call = surroundings(analysis, offset).call?;
    let function = analysis.settings.functions.get(&call.name)?;
    let label = function.typed_signature(&call.name);
    // The parameters are listed in order, each with a colon behind its name.
    let mut from = call.name.len();
    let mut parameters = Vec::new();
    for parameter in function.parameters.iter().chain(&function.variadic) {
        let found = label.get(from..).and_then(|rest| rest.find(parameter.name.as_str()));
        let start = found.map_or(from, |at| from + at);
        from = (start + parameter.name.len()).min(label.len());
        let units = |end: usize| size(label.get(..end).unwrap_or(&label).encode_utf16().count());
        parameters.push(ParameterInformation {
            label: ParameterInformationLabel::Tuple((units(start), units(from))),
            documentation: None,
        });
    }
    let last = parameters.len().checked_sub(1);
    let active =
        last.map(|last| if function.variadic.is_some() { call.argument.min(last) } else { call.argument });
    let documentation = documentation(&call.name, analysis.settings.dialect);
    let signature = SignatureInformation {
        label,
        documentation: documentation
            .map(|value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })),
        parameters: Some(parameters),
        active_parameter: None,
    };
    Some(SignatureHelp {
        signatures: vec![signature],
        active_signature: Some(0),
        active_parameter: active.map(|at| ActiveParameter::Int(size(at))),
    })
}
