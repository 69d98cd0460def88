//! How long the analysis of a line takes.

use pegboard_shell_analysis::ShellAnalyzer;
use pegboard_tool_core::ports::{CommandAnalyzer, ShellStart};

const LINES: &[(&str, &str)] = &[
    ("one command", "ls -la src"),
    ("four commands", "cd src && git grep -n viewport src/ 2>/dev/null | head -20; echo \"done $x\""),
    ("a loop", "for f in *.rs; do wc -l \"$f\"; done"),
    (
        "a commit message",
        "git commit -m \"$(cat <<'EOF'\nfix: tidy `name` (see notes)\n\nDon't rename; it's public.\nEOF\n)\"",
    ),
    ("wrappers", "env FOO=1 timeout 5 nice -n 5 bash -c 'rm -rf \"$1\"' x y"),
    ("nested loops", "for a in 1 2; do for b in 3 4; do while x; do y=$a$b; done; done; done"),
];

fn main() {
    divan::main();
}

#[divan::bench(args = LINES.iter().map(|(name, _)| *name))]
fn analyze(bencher: divan::Bencher<'_, '_>, name: &str) {
    let line = LINES.iter().find(|(known, _)| *known == name).map_or("", |(_, line)| *line);
    let start = ShellStart::bash("/w", Some("/home/u".into()));
    let analyzer = ShellAnalyzer::new();
    bencher.bench(|| analyzer.analyze(divan::black_box(line), &start));
}
