//! A configuration decoded into structs, and what the messages about a wrong one say. service_config.rs decodes a
//! longer one.
//!
//! `cargo run --example serde_config`
#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::collections::BTreeMap;

use hclvm::{Engine, Error};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Config {
    region: String,
    #[serde(default)]
    tags: BTreeMap<String, String>,
    /// Blocks, by their labels.
    service: BTreeMap<String, Service>,
}

#[derive(Debug, Deserialize)]
struct Service {
    port: u16,
    #[serde(default)]
    scale: Scale,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Scale {
    #[default]
    Fixed,
    Auto {
        most: u32,
    },
}

const TEXT: &str = r#"
region = "${continent}-1"
tags   = { team = "web", tier = upper("gold") }

service "api" {
  port = 8000 + 80
  scale "auto" { most = 4 * 2 }
}

service "db" { port = 5432 }
"#;

fn main() -> Result<(), Error> {
    let engine = Engine::new();
    for text in [TEXT, "region = 1\nservice \"api\" {\n  prt = 80\n}\n"] {
        let document = engine.parse("app.hcl", text)?;
        let mut scope = document.scope();
        if scope.has("continent") {
            scope.set("continent", "eu")?;
        }
        match document.decode::<Config>(&scope) {
            Ok(Config { region, tags, service }) => {
                println!("{region} {tags:?}");
                for (name, Service { port, scale }) in service {
                    let scale = match scale {
                        Scale::Fixed => "one instance".to_owned(),
                        Scale::Auto { most } => format!("up to {most} instances"),
                    };
                    println!("{name}: port {port}, {scale}");
                }
            }
            Err(error) => print!("{}", error.to_diagnostics("app.hcl").report()),
        }
    }
    Ok(())
}
