//! The Containerfile: its commands and files exist, and its server sends the headers of the site
//! server.

use std::{
    fs,
    io::{Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, ensure};

use super::{SiteFile, hosting};
use crate::{
    arguments,
    process::{on_path, root},
};

const CONTAINERFILE: &str = include_str!("../../../Containerfile");
const SERVER: &str = include_str!("../../container/nginx.conf");

/// The instructions, continued lines joined, without comments.
fn instructions(text: &str) -> Vec<String> {
    let text: String =
        text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| [line, "\n"]).collect();
    let joined = text.replace("\\\n", " ");
    joined.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// What is wrong with a Containerfile and the configuration of its server.
fn defects(text: &str, server: &str) -> Vec<String> {
    let mut defects = Vec::new();
    let mut user = "root".to_owned();
    let mut ports = Vec::new();
    let stages: Vec<String> = instructions(text)
        .iter()
        .filter_map(|line| Some(line.strip_prefix("FROM ")?.split_once(" AS ")?.1.to_owned()))
        .collect();
    for line in instructions(text) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["FROM", image, ..] => {
                user = "root".to_owned();
                let rust = concat!("/rust:", env!("CARGO_PKG_RUST_VERSION"), "-");
                if image.contains("/rust:") && !image.contains(rust) {
                    defects.push(format!("{image} does not have the workspace's rust-version"));
                }
            }
            ["COPY", from, ..] if from.starts_with("--from=") => {
                let stage = &from["--from=".len()..];
                let known = stages.iter().any(|known| known == stage);
                defects.extend((!known).then(|| format!("no stage has the name of {from}")));
            }
            ["COPY", file, _] if !root().join(file).exists() => {
                defects.push(format!("{file} does not exist"));
            }
            ["RUN", ..] => {
                let command: Vec<&str> =
                    words.iter().skip_while(|word| **word != "cargo").skip(1).copied().collect();
                if let Err(error) = arguments::grammar().try_get_matches_from(&command)
                    && !command.is_empty()
                {
                    defects.push(format!("{line}: {error}"));
                }
            }
            ["USER", name] => user = (*name).to_owned(),
            ["EXPOSE", port] => ports.push(format!("listen {port};")),
            _ => {}
        }
    }
    if user == "root" || user == "0" {
        defects.push("the last stage runs as root".to_owned());
    }
    if ports.is_empty() || ports.iter().any(|port| !server.contains(port)) {
        defects.push(format!("the server does not have {ports:?}"));
    }
    let site = text.lines().find_map(|line| line.strip_prefix("COPY --from=site /site "));
    if !site.is_some_and(|site| server.contains(&format!("root {site};"))) {
        defects.push(format!("the server's root is not {site:?}"));
    }
    defects
}

#[test]
fn what_the_container_needs_is_there() {
    assert_eq!(defects(CONTAINERFILE, SERVER), Vec::<String>::new());
    for (from, to, part) in [
        ("cargo xtask build", "cargo xtask make", "make"),
        ("--out /site", "--output /site", "--output"),
        ("xtask/container/nginx.conf", "nginx.conf", "nginx.conf does not exist"),
        ("rust:1.", "rust:0.", "rust-version"),
        ("AS site", "AS page", "--from=site"),
        ("USER 101\n", "", "runs as root"),
        ("EXPOSE 8080", "EXPOSE 80", "listen 80;"),
        ("/srv/api-bank", "/srv/site", "/srv/site"),
    ] {
        let text = CONTAINERFILE.replacen(from, to, 1);
        assert_ne!(text, CONTAINERFILE, "there is no {from}");
        let found = defects(&text, SERVER);
        assert!(found.iter().any(|line| line.contains(part)), "{to}: {found:?}");
    }
}

/// nginx with the container's configuration; stops when dropped.
struct Nginx {
    child: Child,
    port: u16,
}

impl Nginx {
    /// Starts nginx on a free port for a site in `folder/site`.
    fn start(program: &Path, folder: &Path) -> Result<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let site = folder.join("site");
        let server = SERVER
            .replace("listen 8080;", &format!("listen 127.0.0.1:{port};"))
            .replace("/srv/api-bank", &site.display().to_string());
        fs::write(folder.join("server.conf"), server)?;
        let here = folder.display();
        let paths: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {here}/{name};\n"))
            .concat();
        let main = format!(
            "daemon off;\nmaster_process off;\npid {here}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n\
             {paths}types {{ text/html html; text/javascript js; }}\ninclude {here}/server.conf;\n}}\n"
        );
        fs::write(folder.join("nginx.conf"), main)?;
        let child = Command::new(program)
            .arg("-p")
            .arg(folder)
            .arg("-c")
            .arg(folder.join("nginx.conf"))
            .spawn()?;
        let mut nginx = Nginx { child, port };
        for _ in 0..100 {
            ensure!(nginx.child.try_wait()?.is_none(), "nginx refuses the configuration");
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
                return Ok(nginx);
            }
            thread::sleep(Duration::from_millis(50));
        }
        anyhow::bail!("nginx does not answer")
    }

    /// The head of the response to one request.
    fn head(&self, path: &str) -> Result<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\
             Connection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, _) = answer.split_once("\r\n\r\n").context("a head")?;
        Ok(format!("{head}\r\n"))
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn the_container_sends_the_headers_of_the_site_server() -> Result<()> {
    // Debian's package installs it where only root's search path looks.
    let program = on_path("nginx").or_else(|| {
        Some(Path::new("/usr/sbin/nginx")).filter(|path| path.is_file()).map(Path::to_path_buf)
    });
    let Some(program) = program else {
        eprintln!("SKIPPED: the container's server needs nginx");
        return Ok(());
    };
    let dir = tempfile::tempdir()?;
    let site = dir.path().join("site");
    fs::create_dir(&site)?;
    fs::copy(root().join("index.html"), site.join("index.html"))?;
    let names = ["app-0123456789abcdef.wasm", "boot-0123456789abcdef.js", "index.html"];
    let files =
        names.map(|name| SiteFile { name: name.to_owned(), integrity: String::new(), bytes: 1 });
    for name in &names[..2] {
        fs::write(site.join(name), "x".repeat(2000))?;
    }
    hosting::write(&site, &files)?;
    // The command of the Containerfile.
    let compress = instructions(CONTAINERFILE)
        .into_iter()
        .find_map(|line| line.strip_prefix("RUN find ").map(|rest| format!("find {rest}")))
        .context("the Containerfile compresses the site")?;
    let compress = compress.replace("/site", &site.display().to_string());
    ensure!(Command::new("sh").args(["-c", &compress]).status()?.success(), "{compress}");

    let nginx = Nginx::start(&program, dir.path())?;
    let headers = hosting::Headers::of_site(&site)?;
    for (path, kind) in [
        ("/", "text/html"),
        ("/app-0123456789abcdef.wasm", "application/wasm"),
        ("/boot-0123456789abcdef.js", "text/javascript"),
    ] {
        let head = nginx.head(path)?;
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        for (name, value) in headers.list() {
            assert_eq!(
                head.matches(&format!("\r\n{name}: {value}\r\n")).count(),
                1,
                "{path}: {head}"
            );
        }
        for line in [
            format!("Cache-Control: {}", hosting::cache_control(path)),
            format!("Content-Type: {kind}"),
            "Content-Encoding: gzip".to_owned(),
            "Vary: Accept-Encoding".to_owned(),
        ] {
            assert_eq!(
                head.matches(&format!("\r\n{line}\r\n")).count(),
                1,
                "{path}: {line}: {head}"
            );
        }
    }
    let missing = nginx.head("/gone-0123456789abcdef.js")?;
    assert!(missing.starts_with("HTTP/1.1 404"), "{missing}");
    assert!(!missing.contains("immutable"), "{missing}");
    Ok(())
}
