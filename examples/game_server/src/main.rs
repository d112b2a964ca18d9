//! `cargo run --release -p hclvm-game-server -- [FILE] [ADDRESS]`: serves the tuning of a game on
//! <http://127.0.0.1:8080>. Edit the file and look at the page.

use std::io::{self, Write};
use std::path::Path;

use hclvm_game_server::Game;
use hclvm_reload::Options;
use tokio::net::TcpListener;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/game.hcl");
    let file = arguments.next().unwrap_or_else(|| here.to_owned());
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let game = Game::open(Path::new(&file), Options::default())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_io().enable_time().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await?;
        let mut out = io::stdout();
        writeln!(out, "{file} on http://{}", listener.local_addr()?)?;
        out.flush()?;
        game.serve(listener).await
    })?;
    Ok(())
}
