//! The command line. Flags change what the file of settings says.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;
use hclvm_reload::Problems;

use crate::settings::{LogSettings, Settings, denial_status};

/// Decides requests of Envoy and of AuthZEN by policies in HCL.
#[derive(Clone, Debug, Default, Parser)]
#[command(name = "hclvm-authorization", version)]
pub struct Arguments {
    /// A file of settings
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The file, or the folder of files *.hcl, with the policy
    #[arg(long, value_name = "PATH")]
    pub policies: Option<PathBuf>,
    /// The address of the gRPC service
    #[arg(long, value_name = "ADDRESS")]
    pub grpc: Option<SocketAddr>,
    /// The address of the HTTP service
    #[arg(long, value_name = "ADDRESS")]
    pub http: Option<SocketAddr>,
    /// The address of the AuthZEN service
    #[arg(long, value_name = "ADDRESS")]
    pub authzen: Option<SocketAddr>,
    /// The address of health, metrics and status
    #[arg(long, value_name = "ADDRESS")]
    pub admin: Option<SocketAddr>,
    /// The status of a request that cannot be decided
    #[arg(long, value_name = "STATUS")]
    pub fault_status: Option<u16>,
    /// Allow requests that cannot be decided
    #[arg(long)]
    pub fail_open: bool,
    /// Add decisions as lines of JSON to a file, or - for the standard output
    #[arg(long, value_name = "FILE|-")]
    pub decision_log: Option<PathBuf>,
    /// The threads that serve
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Check the settings and the policy, and end
    #[arg(long)]
    pub check: bool,
}

impl Arguments {
    /// Returns the settings: the defaults, changed by the file and then by flags.
    ///
    /// # Errors
    /// A file that cannot be read, what is wrong in it, and flags that cannot be used.
    pub fn settings(&self) -> Result<Settings, Problems> {
        let mut settings = self.config.as_deref().map_or_else(|| Ok(Settings::default()), Settings::read)?;
        let Self { policies, grpc, http, authzen, admin, fault_status, decision_log, threads, .. } =
            self.clone();
        if let Some(policies) = policies {
            settings.policies = policies;
        }
        settings.grpc = grpc.or(settings.grpc);
        settings.http = http.or(settings.http);
        settings.authzen = authzen.or(settings.authzen);
        settings.admin = admin.or(settings.admin);
        if let Some(status) = fault_status {
            settings.fault_status = denial_status(status).map_err(|why| format!("--fault-status: {why}."))?;
        }
        settings.fail_open |= self.fail_open;
        if let Some(path) = decision_log {
            settings.log = match settings.log {
                Some(log) => Some(LogSettings { path, ..log }),
                None => Some(LogSettings::new(path)),
            };
        }
        settings.threads = threads.map(usize::from).or(settings.threads);
        if settings.grpc.or(settings.http).or(settings.authzen).is_none() && !self.check {
            return Err("There is no address to serve: give --grpc, --http or --authzen ADDRESS, \
                        or a block `listen` in the file of --config."
                .into());
        }
        Ok(settings)
    }
}
