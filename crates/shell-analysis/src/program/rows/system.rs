//! Programs of the system whose files matter.

use super::super::row::Kind::{Look, Other, Plain};
use super::super::row::{Row, row};
use super::super::special;

/// Sorted by name.
pub(super) const ROWS: &[Row] = &[
    row(
        "age",
        Other,
        "-d,--decrypt -e,--encrypt -o,--output=w -i,--identity=r -r,--recipient=n -R,--recipients-file=r -p -a",
        "r",
    ),
    row("as", Other, "-o=w", "r*").with(special::opaque::compiler),
    row("base58", Other, "", "r*"),
    row("c++", Other, CC, "r*").with(special::opaque::compiler),
    row("cc", Other, CC, "r*").with(special::opaque::compiler),
    row("clang", Other, CC, "r*").with(special::opaque::compiler),
    row("clang++", Other, CC, "r*").with(special::opaque::compiler),
    row("convert", Other, "", "r* w"),
    row("ffmpeg", Other, "-i=u -f=n -c=n -vf=n -y -n", "w*"),
    row("g++", Other, CC, "r*").with(special::opaque::compiler),
    row("gcc", Other, CC, "r*").with(special::opaque::compiler),
    row(
        "gpg",
        Other,
        ":abdekKnqstv -o,--output=w -r,--recipient=n -u,--local-user=n --homedir=W --options=o --decrypt --encrypt --sign --verify --armor --batch --yes --import --export --passphrase-file=r --passphrase=n ^--keyserver=h ^--photo-viewer=l ^--agent-program=k ^--dirmngr-program=k ^--pinentry-mode=n",
        "r*",
    ),
    row("insmod", Other, "", "r n*"),
    row("ld", Other, "-o=w -T=r -L=n -l=n", "r*").with(special::opaque::compiler),
    row("locate", Look, ":AbceiLlmnPpqrSsw0 -d,--database=r --limit=n", "n*"),
    row(
        "lsblk",
        Look,
        ":AaDbdfiJlmMnOPprSstTyzhV -e=n -I=n -o,--output=n -x,--sort=n -w=n --json --noheadings --bytes --fs --all --list --paths",
        "n*",
    ),
    row("lscpu", Look, ":abchJryxV -e?n -p?n --all --json --extended?n --parse?n -s=r", ""),
    row("mount", Other, "-t,--types=n -o,--options=n -a -B,--bind -r -w -v -L=n -U=n", "R W"),
    row(
        "nm",
        Look,
        ":aABCDgnoprsSuvV -t=n -f=n --demangle --extern-only --defined-only --undefined-only --dynamic --size-sort --numeric-sort",
        "r*",
    ),
    row("objcopy", Other, "", "r w"),
    row(
        "objdump",
        Look,
        ":aCdDefghHlprRsStTVwxz -b=n -j=n -m=n -M=n --disassemble --demangle --source --syms --start-address=n --stop-address=n",
        "r*",
    ),
    row("openssl", Other, "", "@ n*").with(special::opaque::openssl),
    row(
        "pandoc",
        Other,
        "-o,--output=w -f,--from=n -t,--to=n -s ^-F,--filter=k ^-L,--lua-filter=o ^--pdf-engine=k --template=r -H=r -B=r -A=r --css=n",
        "r*",
    ),
    row("ps", Plain, "", "@ n*").with(special::plain_words::ps),
    row("readelf", Look, ":aAcCdDeghHIlnrsStuVWz -p=n -R=n -x=n", "r*"),
    row("rename", Other, ":nvsaoif ^-e=o", "n n b*"),
    row(
        "rustc",
        Other,
        "-o=w --out-dir=W --edition=n --crate-type=n -C=o -L=r -l=n -O -g --test --emit=n --target=n",
        "r",
    ),
    row("screen", Other, "", "@ n*").with(special::opaque::multiplexer),
    row("ssh-keygen", Other, "-f=b -t=n -b=n -C=n -N=n -P=n -q -y -l -R=n -F=n -p ^-D=o ^-w=o", "n*"),
    row("strip", Other, "-o=w -g -s -S -d -v", "b*"),
    row("tmux", Other, "", "@ n*").with(special::opaque::multiplexer),
    row("umount", Other, ":aflnrvR", "W"),
];

const CC: &str = "-o=w -I=n -L=n -l=n -D=n -U=n -W?n -O?n -g?n -f?n -m?n -std=n -c -E -S -v -x=n -include=r -isystem=n -MF=w -MT=n -MQ=n -MD -MMD -M -MM -MP -pthread -shared -static -pipe -w -pedantic -Wl?n ^-B=o ^-wrapper=o -Wall -Wextra -Werror";
