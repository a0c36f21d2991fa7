//! The project's commands: `cargo xtask serve`, `test`, `build`, `package`, `bench`, `model`,
//! `new`, `dataset`.

use std::process::{Command, ExitCode};

use anyhow::Result;
use clap::Parser;
use xtask::{
    arguments::{Arguments, New, Task},
    bench,
    cache::Cache,
    new, package,
    process::{Failed, root, run},
    search::{self, BuildScope},
    serve,
    site::{self, Profile, size_budget::SiteSize},
    test,
};

fn main() -> ExitCode {
    match execute(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            let code = error.downcast_ref::<Failed>().map_or(1, |failed| failed.code);
            ExitCode::from(u8::try_from(code).unwrap_or(1))
        }
    }
}

fn execute(task: Task) -> Result<()> {
    let cache = Cache::open()?;
    match task {
        Task::Serve { port, release, no_open } => {
            // In a process of its own, whose gigabyte of memory is free once the site is built.
            let mut build = Command::new(std::env::current_exe()?);
            build.args(["build", "--any-size"]).args((!release).then_some("--fast"));
            run(&mut build)?;
            serve::serve(&root().join("dist"), port, !no_open)
        }
        Task::Build { trunk: true, .. } => {
            let (profile, out) = site::asked_by_trunk(|name| std::env::var(name).ok())?;
            site::build(&cache, profile, &out).map(drop)
        }
        Task::Build { fast, out, any_size, .. } => {
            let profile = if fast { Profile::Fast } else { Profile::Release };
            let out = root().join(out);
            site::build(&cache, profile, &out)?;
            if any_size { Ok(()) } else { SiteSize::of(&out)?.check(profile) }
        }
        Task::Package { site, binaries, repository, out } => {
            let binaries = binaries.map(|folder| root().join(folder));
            let (site, out) = (root().join(site), root().join(out));
            let options = package::Options { site, binaries, repository, out };
            package::package(&cache, &options)
        }
        Task::Test { real_model: true, .. } => test::real_model(&cache),
        Task::Test { training: true, .. } => test::training(&cache),
        Task::Test { no_browser, filter, .. } => {
            test::test(&cache, &test::Options { no_browser, filter })
        }
        Task::Bench { parts, site } => bench::bench(&cache, &bench::Options { parts, site }),
        Task::Dataset { what, filter } => {
            let files = search::ensure(&cache)?;
            search::dataset(&files, BuildScope::Makers, what == "bless", filter.as_deref())
        }
        Task::New { what } => {
            let (file, next) = match what {
                New::Api { domain, name } => {
                    let next = "cargo test -p apis --test registry";
                    (new::api(&root(), &domain, &name)?, next.to_owned())
                }
                New::Dialogue { ability, slug } => {
                    let next = format!("cargo xtask dataset bless {slug}");
                    (new::dialogue(&root(), &ability, &slug)?, next)
                }
            };
            println!("wrote {}: replace every TODO, then run `{next}`", file.display());
            Ok(())
        }
        Task::Model => {
            let files = search::ensure(&cache)?;
            for file in [files.model, files.vocab, files.vectors] {
                println!("  {}", file.display());
            }
            Ok(())
        }
    }
}
