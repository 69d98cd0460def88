//! `WebFetch(domain:...)`: hosts, and the host of an address.

use std::net::{Ipv4Addr, Ipv6Addr};

/// A compiled host pattern.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct HostPattern {
    labels: Vec<String>,
}

impl HostPattern {
    /// Compiles `text`, such as `example.com` or `*.example.com`.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        // An address of version 6 may stand without its brackets.
        let bracketed = (text.contains("::") && !text.starts_with('[')).then(|| format!("[{text}]"));
        let text = normal_host(bracketed.as_deref().unwrap_or(text))
            .ok_or("it is no host; write `domain:example.com`")?;
        Ok(Self { labels: text.split('.').map(str::to_owned).collect() })
    }

    /// The host, when the pattern has no star.
    pub(crate) fn exact(&self) -> Option<String> {
        let is_exact = !self.labels.iter().any(|label| label.contains('*'));
        is_exact.then(|| self.labels.join("."))
    }

    /// Whether every host fits.
    pub(crate) fn is_everything(&self) -> bool {
        self.labels == ["*"]
    }

    /// Whether `host`, normalised by [`normal_host`], fits.
    pub(crate) fn matches(&self, host: &str) -> bool {
        if self.is_everything() {
            return true;
        }
        let given: Vec<&str> = host.split('.').collect();
        let fits = |wanted: &[String], given: &[&str]| {
            wanted.len() == given.len()
                && wanted.iter().zip(given).all(|(wanted, label)| crate::text_glob::star_match(wanted, label))
        };
        match self.labels.split_first() {
            Some((first, rest)) if first == "*" => {
                given.len() > rest.len()
                    && given.get(given.len() - rest.len()..).is_some_and(|tail| fits(rest, tail))
            }
            _ => fits(&self.labels, &given),
        }
    }
}

/// Lower case, one dot at the end removed, names beyond ASCII in their ASCII form. `None` for what is
/// no host name.
pub(crate) fn normal_host(host: &str) -> Option<String> {
    let host = host.strip_suffix('.').unwrap_or(host);
    if host.is_empty() || host.len() > 253 {
        return None;
    }
    if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inner.parse::<Ipv6Addr>().ok().map(|ip| format!("[{ip}]"));
    }
    if host.is_ascii() {
        if let Some(address) = ipv4(host) {
            return address.map(|ip| ip.to_string());
        }
        let is_label = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'*');
        return host.bytes().all(is_label).then(|| host.to_ascii_lowercase());
    }
    // IDNA takes three more characters for dots; two of them fold to this one.
    let folded = crate::fold::fold(host).replace('\u{3002}', ".");
    if folded.is_ascii() {
        return normal_host(&folded);
    }
    let labels = folded.split('.').map(|label| {
        if label.is_ascii() {
            Some(label.to_owned())
        } else {
            punycode(label).map(|code| format!("xn--{code}"))
        }
    });
    let labels: Vec<String> = labels.collect::<Option<_>>()?;
    let is_label = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '*');
    folded.chars().all(is_label).then(|| labels.join("."))
}

/// The address that a host means whose last label is a number: `127.1`, `0x7f000001` and `2130706433` are one.
/// `None` for a name, `Some(None)` for a number that is no address.
fn ipv4(host: &str) -> Option<Option<Ipv4Addr>> {
    let last = host.rsplit('.').next()?;
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let hex = |text: &str| {
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
        is_hex(digits).then(|| digits.to_owned())
    };
    if last.is_empty() || !last.bytes().all(|byte| byte.is_ascii_digit()) && hex(last).is_none() {
        return None;
    }
    let number = |text: &str| match hex(text) {
        Some(digits) if digits.is_empty() => Some(0),
        Some(digits) => u64::from_str_radix(&digits, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u64::from_str_radix(text, 8).ok(),
        None => text.parse::<u64>().ok(),
    };
    let numbers: Option<Vec<u64>> = host.split('.').map(number).collect();
    Some(numbers.and_then(|numbers| {
        let (tail, front) = numbers.split_last()?;
        let room = 4_usize.checked_sub(front.len()).filter(|room| *room > 0)?;
        let most = if room == 4 { u64::from(u32::MAX) } else { (1_u64 << (8 * room)) - 1 };
        if *tail > most || front.iter().any(|part| *part > 255) {
            return None;
        }
        let high = front.iter().enumerate().fold(0_u64, |sum, (at, part)| sum | part << (8 * (3 - at)));
        u32::try_from(high | tail).ok().map(Ipv4Addr::from)
    }))
}

/// A host with the other address that it stands for: version 4 inside of version 6.
fn with_mapped(host: String) -> Vec<String> {
    let inner = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let mapped = inner.and_then(|inner| inner.parse::<Ipv6Addr>().ok()).and_then(|ip| ip.to_ipv4());
    std::iter::once(host).chain(mapped.map(|ip| ip.to_string())).collect()
}

/// `text` with `%41` read as `A`.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let digits = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { tail.get(2..).unwrap_or_default() } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Encodes a label by RFC 3492.
fn punycode(label: &str) -> Option<String> {
    let mut out: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(out.len()).ok()?;
    let total = u32::try_from(label.chars().count()).ok()?;
    let (mut n, mut delta, mut bias, mut done) = (128_u32, 0_u32, 72_u32, basic);
    if basic > 0 {
        out.push('-');
    }
    while done < total {
        let next = label.chars().map(u32::from).filter(|c| *c >= n).min()?;
        delta = delta.checked_add((next - n).checked_mul(done + 1)?)?;
        n = next;
        for c in label.chars().map(u32::from) {
            if c < n {
                delta = delta.checked_add(1)?;
            }
            if c == n {
                let (mut q, mut k) = (delta, 36);
                loop {
                    let t = if k <= bias { 1 } else { (k - bias).min(26) };
                    if q < t {
                        break;
                    }
                    out.push(digit(t + (q - t) % (36 - t))?);
                    q = (q - t) / (36 - t);
                    k += 36;
                }
                out.push(digit(q)?);
                delta = if done == basic { delta / 700 } else { delta / 2 };
                delta += delta / (done + 1);
                let mut k = 0;
                while delta > 455 {
                    delta /= 35;
                    k += 36;
                }
                bias = k + 36 * delta / (delta + 38);
                delta = 0;
                done += 1;
            }
        }
        delta = delta.checked_add(1)?;
        n += 1;
    }
    Some(out)
}

fn digit(value: u32) -> Option<char> {
    char::from_u32(if value < 26 { u32::from(b'a') + value } else { u32::from(b'0') + value - 26 })
}

/// The host of a web address, normalised. `None` for what is not plainly one: another scheme, a user
/// part, odd characters. Such an address matches no allow rule.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let authority = rest.get(..end)?;
    if authority.contains('@') || rest.get(end..).is_some_and(|tail| tail.starts_with('\\')) {
        return None;
    }
    if url.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return None;
    }
    let host = match (authority.rfind(']'), authority.rsplit_once(':')) {
        (Some(end), _) => authority.get(..=end)?,
        (None, Some((host, port))) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        (None, Some(_)) => return None,
        (None, None) => authority,
    };
    // What clients read in different ways is no host that a rule could allow.
    let is_odd_number = ipv4(host).is_some_and(|ip| ip.is_none_or(|ip| ip.to_string() != host));
    if host.contains('*') || is_odd_number || host.chars().any(crate::fold::has_no_width) {
        return None;
    }
    normal_host(host)
}

/// Every host that a careless reader could take `url` to mean; for whatever forbids.
pub(crate) fn possible_hosts(url: &str) -> Vec<String> {
    let mut hosts: Vec<String> = host_of(url).into_iter().flat_map(with_mapped).collect();
    let rest = url.split_once(':').map_or(url, |(_, rest)| rest).trim_start_matches(['/', '\\']);
    let visible: String = rest.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
    for part in visible.split(['/', '?', '#', '\\', '@']) {
        let host = part.rsplit_once(':').map_or(part, |(host, _)| host);
        let decoded = percent_decoded(host);
        let spelled =
            [host, part, decoded.as_str()].into_iter().filter_map(normal_host).flat_map(with_mapped);
        for host in spelled {
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        if !part.is_empty() && !visible.contains('@') {
            break;
        }
    }
    hosts
}

/// The spellings of a host that a command line names, for whatever forbids.
pub(crate) fn possible_host(named: &str) -> Vec<String> {
    if named.contains("://") || named.contains('@') {
        return possible_hosts(named);
    }
    let host = named.rsplit_once(':').filter(|(host, _)| !host.contains(':')).map_or(named, |(host, _)| host);
    normal_host(host).into_iter().flat_map(with_mapped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_match_as_documented() {
        for (pattern, host, expected) in [
            ("*.example.com", "a.b.example.com", true),
            ("*.example.com", "example.com", false),
            ("*.example.com", "evilexample.com", false),
            ("example.*", "example.org", true),
            ("example.*", "example.evil.com", false),
            ("*", "anything", true),
            ("10.0.0.1", "110.0.0.1", false),
        ] {
            assert_eq!(HostPattern::new(pattern).unwrap().matches(host), expected, "{pattern} {host}");
        }
    }

    #[test]
    fn only_plain_addresses_have_a_host() {
        for (url, host) in [
            ("https://a.b.EXAMPLE.com./x", Some("a.b.example.com")),
            ("https://example.com:8443/a", Some("example.com")),
            ("https://example.com@evil.test/a", None),
            ("file:///etc/passwd", None),
            ("https:///a", None),
            ("https://evil.test\\@example.com/", None),
            ("https://b\u{fc}cher.example/a", Some("xn--bcher-kva.example")),
            ("http://[::1]:80/", Some("[::1]")),
        ] {
            assert_eq!(host_of(url).as_deref(), host, "{url}");
        }
        for url in [
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://127.1:80/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://u@127.0.0.1/",
            "http://127%2e0.0.1/",
            "http://127\u{3002}0\u{ff61}0\u{ff0e}1/",
        ] {
            assert!(
                possible_hosts(url).contains(&"127.0.0.1".to_owned()),
                "{url}: {:?}",
                possible_hosts(url)
            );
        }
        for url in ["http://2130706433/", "http://0177.0.0.1/", "http://999.1.1.1/", "http://a\u{200b}.test/"]
        {
            assert_eq!(host_of(url), None, "{url}");
        }
        assert!(possible_hosts("https://x@blocked.example/").contains(&"blocked.example".to_owned()));
    }
}
