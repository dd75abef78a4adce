//! The command line `dp-ridge`: thin over the library.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
