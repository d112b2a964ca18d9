//! The second process of `peers`, with serde_json's default features; the reason is in `hclvm_peers`.

use std::process::ExitCode;

use hclvm_peers::peers;

fn main() -> ExitCode {
    let beginnings: Vec<String> = std::env::args().skip(1).collect();
    let chosen: Vec<_> =
        peers::plain().into_iter().filter(|peer| peers::wanted(peer.name, &beginnings)).collect();
    match hclvm_peers::guest::serve(&chosen) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("peers-plain: {failure}");
            ExitCode::FAILURE
        }
    }
}
