//! Variables that hold what opens an account at a provider of models.

/// Ends of names that say so by themselves.
const ENDS: [&str; 6] =
    ["_API_KEY", "_API_TOKEN", "_AUTH_TOKEN", "_OAUTH_TOKEN", "_CLIENT_SECRET", "_SECRET_ACCESS_KEY"];

/// Names that do not end so.
const NAMES: [&str; 9] = [
    "ANTHROPIC_CUSTOM_HEADERS",
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_SESSION_TOKEN",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "REPLICATE_TOKEN",
];

/// Whether a variable of this name is a provider's credential.
pub(crate) fn is_credential(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.contains(&name.as_str()) || ENDS.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_providers_are_known_and_the_rest_is_left() {
        for (name, expected) in [
            ("ANTHROPIC_API_KEY", true),
            ("openai_api_key", true),
            ("PEGBOARD_TEST_API_KEY", true),
            ("CLAUDE_CODE_OAUTH_TOKEN", true),
            ("AWS_SECRET_ACCESS_KEY", true),
            ("GITHUB_TOKEN", false),
            ("PATH", false),
            ("API_KEYS_FILE", false),
        ] {
            assert_eq!(is_credential(name), expected, "{name}");
        }
    }
}
