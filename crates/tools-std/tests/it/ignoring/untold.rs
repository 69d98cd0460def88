//! Lines that run a program that is not told, and git that takes the ignore files along.

use super::{line, session};

#[tokio::test]
async fn a_command_that_cannot_be_told_is_put_to_a_person() {
    let session = session();
    for command in [
        "a=(cat .env); \"${a[@]}\"",
        "a=(cat .env); command \"${a[@]}\"",
        "set -- cat .env; \"$@\"",
        "set -- cat .env; $*",
        "read c f <<< 'cat .env'; $c $f",
        "while read -r l; do $l; done <<< 'cat .env'",
        "mapfile -t a <<< 'cat'; a+=(.env); \"${a[@]}\"",
        "IFS=,; x=cat,.env; $x",
        "IFS=, read a b <<< cat,.env; $a $b",
        "\"$TOOL\" open.txt",
    ] {
        let (word, reason) = line(&session, command).await;
        assert_ne!(word, "open", "{command}: {reason}");
    }
    for command in ["echo \"$HOME\"", "cargo test $ARGS", "X=1", "[ -n \"$X\" ]", "IFS= read -r l"] {
        let (word, reason) = line(&session, command).await;
        assert_eq!(word, "open", "{command}: {reason}");
    }
}

#[tokio::test]
async fn git_that_may_take_an_ignore_file_away_is_put_to_a_person() {
    let session = session();
    for command in [
        "git stash",
        "git stash pop",
        "git checkout main",
        "git -C . checkout -b new",
        "git switch main",
        "git reset --hard",
        "git revert HEAD",
        "git rebase main",
        "git read-tree -u HEAD",
        "git pull",
        "git merge x",
        "git cherry-pick x",
        "git checkout-index -a",
        "git am open.txt",
        "git -c alias.x=stash x",
        "git $X",
    ] {
        let (word, reason) = line(&session, command).await;
        assert!(word == "ask" && !reason.is_empty(), "{command}: {word} {reason}");
    }
    for command in [
        "git status",
        "git log --oneline",
        "git diff",
        "git add open.txt",
        "git commit -m x",
        "git show HEAD",
        "git fetch",
        "git branch x",
        "git push",
        "git stash list",
    ] {
        let (word, reason) = line(&session, command).await;
        assert_eq!(word, "open", "{command}: {reason}");
    }
}
