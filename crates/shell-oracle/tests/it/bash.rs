//! The promise of the shell analysis: what bash runs is contained in its report, or the report says opaque.

use crate::root::{LIMIT, oracle};
use pegboard_shell_analysis::ShellAnalyzer;
use pegboard_shell_oracle::{Campaign, Profile, World, is_untold, kept_lines, missing, start};
use pegboard_tool_core::ports::CommandAnalyzer as _;

/// Lines that were once not contained.
const REGRESSIONS: &str = include_str!("../data/regressions.txt");

fn thousand(profile: Profile) {
    let Some(oracle) = oracle() else { return };
    let mut campaign = Campaign::new(1000, 20, profile);
    campaign.jobs = 2;
    campaign.most_unsound = 5;
    let figures = campaign.run(&oracle, &ShellAnalyzer::new()).expect("it runs");
    assert!(figures.unsound.is_empty(), "{:#?}", figures.unsound);
    assert!(figures.lines == 1000 && figures.execs > 1000, "too little ran: {} programs", figures.execs);
    if profile == Profile::Ordinary {
        // In the world of the snapshot, ordinary names are shadowed and so opaque; the others tell.
        let untold = figures.untold_percent();
        assert!(untold <= 50, "{untold} % cannot be told: {:#?}", figures.reasons);
    }
}

#[test]
fn what_bash_runs_of_ordinary_lines_is_contained() {
    thousand(Profile::Ordinary);
}

#[test]
fn what_bash_runs_of_hostile_lines_is_contained() {
    thousand(Profile::Hostile);
}

#[test]
fn at_most_a_third_of_ordinary_lines_cannot_be_told() {
    let analyzer = ShellAnalyzer::new();
    let campaign = Campaign::new(3000, 21, Profile::Ordinary);
    let untold = (0..campaign.count)
        .filter(|index| is_untold(&analyzer.analyze(&campaign.line(*index).0, &start(World::Plain))));
    let untold = untold.count();
    assert!(untold <= 1000, "{untold} of 3000");
}

#[test]
fn kept_lines_stay_contained() {
    let kept = kept_lines(REGRESSIONS).expect("the file can be read");
    assert!(!kept.is_empty());
    let Some(oracle) = oracle() else { return };
    let mut shell = oracle.shell().expect("it did start");
    let mut wrong = Vec::new();
    for kept in kept {
        for world in kept.worlds {
            let report = ShellAnalyzer::new().analyze(&kept.line, &start(world));
            let ran = shell.run(&kept.line, world, LIMIT).expect("the shell lives");
            if let Some(missing) = missing(&report, &ran) {
                wrong.push(format!("{world:?} {:?}: {missing}", kept.line));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
