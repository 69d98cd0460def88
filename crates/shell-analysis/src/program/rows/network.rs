//! Programs that reach other machines.

use super::super::row::Kind::Other;
use super::super::row::{Row, row};
use super::super::special;

/// Sorted by name.
pub(super) const ROWS: &[Row] = &[
    row("aria2c", Other, "-d,--dir=W -o,--out=w -i,--input-file=r ^--on-download-complete=k ^--on-download-start=k ^--on-download-error=k ^--conf-path=r -x=n -s=n -j=n -c -q", "h*").with(special::network::saves_here),
    row("curl", Other, CURL, "").with(special::network::curl),
    row("dig", Other, "-b=n -c=n -f=r -k=r -p=n -q=h -t=n -x=n -y=n -u -v -m -r -4 -6 -i -h", "h*").with(special::network::resolver),
    row("ftp", Other, ":46AadefginpRtVv -N=r -o=w -P=n -q=n -r=n -s=n -T=n -u=n", "h n*").with(special::network::client),
    row("gh", Other, "", "@ n*").with(special::network::always),
    row("host", Other, ":aCdilnrsTvVw46 -c=n -N=n -R=n -t=n -W=n -m=n", "h h").with(special::network::resolver),
    row("http", Other, "^--session=b -o,--output=w -d,--download -b,--body -h,--headers -v,--verbose -j,--json -f,--form -a,--auth=n -A=n --timeout=n --verify=n --cert=r --cert-key=r", "n*").with(special::network::httpie),
    row("https", Other, "-o,--output=w -d,--download -b,--body -h,--headers -v,--verbose -j,--json -f,--form -a,--auth=n", "n*").with(special::network::httpie),
    row("lftp", Other, "^-e=o ^-c=o ^-f=o -p=n -u=n -d", "h*").with(special::network::at_least_one),
    row("mosh", Other, "^--ssh=l ^--server=o ^--client=k -p=n", "+ h n*").with(special::network::at_least_one),
    row("mtr", Other, ":46bBehjlnrtTuvwxz -c=n -i=n -m=n -P=n -s=n -F=r", "h*"),
    row("nc", Other, NETCAT, "h n*").with(special::network::netcat),
    row("ncat", Other, NETCAT, "h n*").with(special::network::netcat),
    row("netcat", Other, NETCAT, "h n*").with(special::network::netcat),
    row("nmap", Other, "-p=n -iL=f -oN=w -oX=w -oG=w -oA=w ^--script=o -T=n -s -P -A -O -v -n -R -F", "h*").with(special::network::at_least_one),
    row("nslookup", Other, "", "h h").with(special::network::resolver),
    row("ping", Other, ":46aAbBCdDfhLnOqrRUvV -c=n -e=n -F=n -i=n -I=n -l=n -m=n -M=n -N=n -p=n -Q=n -s=n -S=n -t=n -T=n -w=n -W=n", "h*"),
    row("ping6", Other, ":aAbBCdDfhLnOqrRUvV -c=n -i=n -I=n -s=n -w=n -W=n", "h*"),
    row("rsync", Other, RSYNC, "").with(special::network::rsync),
    row("scp", Other, ":346ABCOpqRrTv -c=n -D=k -F=o -i=r -J=h -l=n -o=n -P=n -S=k -X=n", "").with(special::network::scp),
    row("sftp", Other, ":46AaCfNpqrv -B=n -b=o -c=n -D=k -F=o -i=r -J=h -l=n -o=n -P=n -R=n -S=k -s=o -X=n", "h n*").with(special::network::client),
    row("slogin", Other, SSH, "+").with(special::network::ssh),
    row("socat", Other, "", "n*").with(special::network::socat),
    row("ssh", Other, SSH, "+").with(special::network::ssh),
    row("ssh-copy-id", Other, ":fnsx -i=r -p=n -F=o -t=n -o=n", "h").with(special::network::ssh_options),
    row("ssh-keyscan", Other, ":46cDHqv -f=f -O=n -p=n -T=n -t=n", "h*"),
    row("sshfs", Other, "-o=o -p=n -C -f -d -F=o", "h W"),
    row("telnet", Other, ":468EFKLacdfrux -S=n -X=n -b=n -e=n -k=n -l=n -n=w", "h n").with(special::network::client),
    row("tftp", Other, "-c -m=n -v -4 -6", "h n*").with(special::network::at_least_one),
    row("tracepath", Other, ":46nbV -l=n -m=n -p=n", "h*"),
    row("traceroute", Other, ":46dFInTUVreA -f=n -g=n -i=n -m=n -N=n -p=n -q=n -s=n -t=n -w=n -z=n", "h n"),
    row("wget", Other, WGET, "").with(special::network::wget),
    row("wget2", Other, WGET, "").with(special::network::wget),
    row("whois", Other, "-h,--host=h -p,--port=n -H -I", "n*").with(special::network::always),
];

const SSH: &str = ":46AaCfGgKkMNnqsTtVvXxYy -B=n -b=n -c=n -D=n -E=w -e=n -F=o -I=o -i=r -J=h -L=n -l=n -m=n -O=n -o=n -P=n -p=n -Q=n -R=n -S=w -W=h -w=n";

const NETCAT: &str = ":46bCDdFhklNnrStUuvZz ^-e,--exec=l ^-c,--sh-exec=l ^--lua-exec=o -G=n -I=n -i,--idle-timeout=n -M=n -m=n -O=n -o,--output=w -P=n -p,--source-port=n -q=n -s,--source=n -T=n -V=n -w,--wait=n -W=n -X,--proxy-type=n -x,--proxy=h -g=n -Y=n --listen --ssl --keep-open --udp --verbose --recv-only --send-only";

const RSYNC: &str = ":0468aAbcCdDEgHhiIJkKLlmNnopPqrRStuUvVxXyzW -e,--rsh=l --rsync-path=o -f,--filter=o -M,--remote-option=o -B,--block-size=n -T,--temp-dir=W --archive --verbose --recursive --delete !--remove-source-files --exclude=n --include=n --exclude-from=r --include-from=r --files-from=f --progress --stats --dry-run --compress --update --checksum --links --perms --times --human-readable --partial --partial-dir=W --inplace --backup --backup-dir=W --suffix=n --delete-after --delete-before --delete-during --delete-excluded --max-size=n --min-size=n --port=n --timeout=n --bwlimit=n --log-file=w --password-file=r --compare-dest=R --copy-dest=R --link-dest=R --size-only --numeric-ids --chmod=n --chown=n --write-batch=w --read-batch=r --out-format=n --info=n --debug=n --no-perms --no-owner --no-group --mkpath --existing --ignore-existing --relative --hard-links --list-only --quiet";

const WGET: &str = ":46bEFHKkLmNnpSvVxh -a,--append-output=w -A,--accept=n -B,--base=n -D,--domains=n -e,--execute=o -I,--include-directories=n -i,--input-file=f -l,--level=n -o,--output-file=w -O,--output-document=w -P,--directory-prefix=W -Q,--quota=n -R,--reject=n -t,--tries=n -T,--timeout=n -U,--user-agent=n -w,--wait=n -X,--exclude-directories=n -nv,--no-verbose -nc,--no-clobber -nd,--no-directories -nH,--no-host-directories -np,--no-parent -q,--quiet -c,--continue -r,--recursive --config=o --no-config --rejected-log=w --retry-connrefused --retry-on-http-error=n --no-netrc --start-pos=n --progress=n --show-progress --timestamping --no-use-server-timestamps --server-response --spider --dns-timeout=n --connect-timeout=n --read-timeout=n --waitretry=n --random-wait --no-proxy --bind-address=n --limit-rate=n --no-dns-cache --restrict-file-names=n --ignore-case --inet4-only --inet6-only --prefer-family=n --user=n --password=n --ask-password ^--use-askpass=k --force-directories --protocol-directories --cut-dirs=n --http-user=n --http-password=n --no-cache --default-page=n --adjust-extension --ignore-length --header=n --compression=n --max-redirect=n --proxy-user=n --proxy-password=n --referer=n --save-headers --no-http-keep-alive --no-cookies --load-cookies=r --save-cookies=w --keep-session-cookies --post-data=n --post-file=r --method=n --body-data=n --body-file=r --content-disposition --content-on-error --auth-no-challenge --secure-protocol=n --https-only --no-check-certificate --certificate=r --certificate-type=n --private-key=r --private-key-type=n --ca-certificate=r --ca-directory=r --crl-file=r --pinnedpubkey=n --ciphers=n --no-hsts --hsts-file=b --ftp-user=n --ftp-password=n --no-glob --warc-file=w --delete-after --page-requisites --mirror --convert-links --backup-converted --span-hosts --relative --trust-server-names --version --help --verbose --debug -d";

const CURL: &str = ":#0123468afgGiIjkLlMnNpRSsvVZB: -O,--remote-name -J,--remote-header-name -K,--config=o -o,--output=w --output-dir=W -T,--upload-file=r -c,--cookie-jar=w -b,--cookie=n -D,--dump-header=w -d,--data,--data-ascii,--data-binary,--data-urlencode,--json=n --data-raw=n -F,--form=n --form-string=n -E,--cert=r --key=r --cacert=r --capath=r --crlfile=r --netrc-file=r --trace=w --trace-ascii=w --stderr=w --libcurl=w --hsts=b --alt-svc=b --etag-save=w --etag-compare=r -x,--proxy=h --preproxy=h --socks4=h --socks4a=h --socks5=h --socks5-hostname=h --proxy1.0=h --doh-url=h --url=n --url-query=n --connect-to=o --resolve=n --unix-socket=w --abstract-unix-socket=n --engine=o --random-file=r --egd-file=r --pubkey=r --proxy-cert=r --proxy-key=r --proxy-cacert=r -A,--user-agent=n -e,--referer=n -H,--header=n --proxy-header=n -m,--max-time=n --connect-timeout=n -r,--range=n -u,--user=n -U,--proxy-user=n -X,--request=n -w,--write-out=n -y,--speed-time=n -Y,--speed-limit=n -z,--time-cond=n -C,--continue-at=n -P,--ftp-port=n -Q,--quote=n -t,--telnet-option=n -h,--help?n --ciphers=n --cert-type=n --key-type=n --pass=n --interface=n --dns-servers=n --local-port=n --limit-rate=n --max-filesize=n --max-redirs=n --noproxy=n --oauth2-bearer=n --parallel-max=n --proto=n --proto-default=n --proto-redir=n --rate=n --request-target=n --retry=n --retry-delay=n --retry-max-time=n --tls-max=n --tls13-ciphers=n --variable=n --aws-sigv4=n --create-file-mode=n --mail-from=n --mail-rcpt=n --keepalive-time=n --expect100-timeout=n --curves=n --pinnedpubkey=n --service-name=n --delegation=n --append --basic --anyauth --digest --compressed --create-dirs --fail --fail-early --fail-with-body --form-escape --get --globoff --head --http0.9 --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --http3-only --include --insecure --ipv4 --ipv6 --junk-session-cookies --list-only --location --location-trusted --negotiate --netrc --netrc-optional --next --no-alpn --no-buffer --no-clobber --no-keepalive --no-progress-meter --no-sessionid --ntlm --parallel --parallel-immediate --path-as-is --post301 --post302 --post303 --progress-bar --raw --remote-name-all --remote-time --remove-on-error --retry-all-errors --retry-connrefused --show-error --silent --ssl --ssl-reqd --tcp-fastopen --tcp-nodelay --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --trace-time --verbose --version --xattr -q,--disable";
