//! The hosts that a call reaches, and the rules on them.

use crate::findings::{Findings, HOLDING};
use crate::host_pattern::{host_of, possible_hosts};
use crate::rule_set::RuleSet;
use pegboard_tool_core::ports::GateCall;
use pegboard_tool_core::{Accesses, Resource, RuleEffect};
use serde_json::Value;

/// The hosts of a call.
pub(crate) struct Hosts {
    /// The one host that is certain.
    pub(crate) plain: Option<String>,
    /// What the tool itself says.
    named: Vec<String>,
    /// Every host that it could be.
    pub(crate) possible: Vec<String>,
}

impl Hosts {
    /// What the call may act on. What an address might be taken for is judged, but not granted.
    pub(crate) fn granted(self) -> Vec<String> {
        let Self { plain, mut named, .. } = self;
        let more: Vec<String> = plain.into_iter().filter(|host| !named.contains(host)).collect();
        named.extend(more);
        named
    }
}

/// The hosts that a call names, by its tool and by its input.
pub(crate) fn hosts_of(call: &GateCall<'_>) -> Hosts {
    let named: Vec<String> = match call.accesses {
        Accesses::Everything => Vec::new(),
        Accesses::Only(list) => list
            .iter()
            .filter_map(|access| match &access.resource {
                Resource::Host(host) => Some(host.clone()),
                _ => None,
            })
            .collect(),
    };
    let url = match call.tool.name.as_str() {
        "WebFetch" => call.input.get("url"),
        "Monitor" => call.input.pointer("/ws/url"),
        _ => None,
    };
    match url.and_then(Value::as_str) {
        Some(url) => {
            let mut possible = possible_hosts(url);
            possible.extend_from_slice(&named);
            Hosts { plain: host_of(url), named, possible }
        }
        None => Hosts { plain: None, possible: named.clone(), named },
    }
}

/// Rules on hosts that hold a call back.
pub(crate) fn hold_hosts(hosts: &Hosts, rules: &RuleSet, findings: &mut Findings) {
    for effect in HOLDING {
        for host in &hosts.possible {
            findings.hold(rules, effect, rules.of(effect).host(host), "names this host");
        }
    }
}

/// Rules on hosts.
pub(crate) fn judge_hosts(hosts: &Hosts, rules: &RuleSet, findings: &mut Findings) {
    hold_hosts(hosts, rules, findings);
    if let Some(host) = &hosts.plain
        && hosts.possible.iter().all(|possible| possible == host)
    {
        findings.permit(rules, rules.of(RuleEffect::Allow).host(host));
    }
}
