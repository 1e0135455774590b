//! Known files of every layout, matched and audited.

use crate::lab::{Lab, installed, odd_tree};
use std::fs;
use std::process::Command;

/// Makes the lists with 4.4 itself, and spoilt copies of them.
fn lists(lab: &Lab) {
    fs::create_dir(lab.root().join("known")).unwrap();
    for (name, line) in [
        ("all", "hashdeep -r tree odd"),
        ("relative", "hashdeep -rl tree"),
        ("bare", "hashdeep -rb tree"),
        ("sha1", "hashdeep -c sha1 -r tree"),
        ("many", "hashdeep -c tiger,whirlpool,sha1 -r tree"),
        ("pieces", "hashdeep -p 512 -r tree/sizes"),
        ("some", "hashdeep -r tree/sizes"),
        ("plain", "md5deep -r tree odd"),
        ("sized", "md5deep -rz tree"),
        ("starred", "md5deep -rk tree/sizes"),
        ("sha256", "sha256deep -r tree"),
        ("whirlpool", "whirlpooldeep -rl tree/b"),
    ] {
        let script = format!("exec /usr/bin/{line} 2>/dev/null >known/{name}");
        Command::new("sh").args(["-c", &script]).current_dir(lab.root()).status().unwrap();
    }
    lab.shell(
        r#"cd known
        sed 's/$/\r/' all > crlf
        sed 's/,[0-9a-f]*,[0-9a-f]*,/\U&/' all > upper
        sed 's/tree/TREE/' all > moved
        sed '6s/^[0-9]*/77/;7s/,[0-9a-f]\{4\}/,0000/;8s/,[0-9a-f]\{4\}\([0-9a-f]*,\)[0-9a-f]\{4\}/,0000\10000/' some > wrong
        sed '9d' some > short; (cat some; echo '1,00000000000000000000000000000000,,/extra') > bad
        (cat some; echo; echo garbage; echo '7,zz,yy,/x') > worse
        (cat some; head -n 8 some | tail -n 3) > twice
        sed 's/^/# /' all > comments; printf '' > empty; printf '%%%%%%%% HASHDEEP-1.0\n' > head
        printf '%%%%%%%% HASHDEEP-1.0\n%%%%%%%% size,sha9,filename\n' > unknown
        printf '%%%%%%%% HASHDEEP-1.0\n%%%%%%%% SIZE,SHA-256,Filename\n' > none
        sed '2s/,md5,sha256/,MD5,SHA-256/' some > names
        awk -F'  ' '{print "MD5 (" $2 ") = " $1}' starred > bsd
        (echo '# comment'; echo; head -n 3 plain; echo 'MD5 (x) = 00'; echo 00) > mixed
        H=$(head -n 1 starred | cut -c1-32); S=$(printf same | sha1sum | cut -c1-40)
        echo '"SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode"' > nsrl20
        echo "\"$S\",\"$H\",\"00000000\",\"a,b\",1,2,\"W\",\"\"" >> nsrl20; echo "\"x\",\"y\"" >> nsrl20
        echo '"SHA-1","FileName","FileSize","ProductCode","OpSystemCode","MD4","MD5","CRC32","SpecialCode"' > nsrl15
        echo "\"$S\",\"a\",1,2,\"W\",\"m\",\"$H\",\"c\",\"\"" >> nsrl15
        echo 'V3Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512' > ilook3
        echo "$H,$S,f,p,3,$(printf same | sha256sum | cut -c1-64),x,y" >> ilook3
        echo 'V4Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512,CreateTime,ModTime,LastAccessTime' > ilook4
        echo "$H,$S,f,p,3,$(printf same | sha256sum | cut -c1-64),x,y,1,2,3" >> ilook4
        "#,
    );
    lab.write("known/encase", encase(2));
    lab.write("known/encase-short", encase(3));
}

/// Returns an EnCase hash set with two hashes that promises `promised`: those of nothing and of `same`.
fn encase(promised: u8) -> Vec<u8> {
    let mut set = vec![0; 0x480];
    set[..8].copy_from_slice(b"HASH\r\n\xff\0");
    set[16] = promised;
    for text in ["d41d8cd98f00b204e9800998ecf8427e", "51037a4a37730f52c8732586d3aaa316"] {
        let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
        set.extend((0..32).step_by(2).map(byte));
        set.extend([0, 0]);
    }
    set
}

const HASHDEEP: &[&str] = &[
    "all",
    "relative",
    "bare",
    "sha1",
    "many",
    "pieces",
    "some",
    "crlf",
    "upper",
    "moved",
    "short",
    "comments",
    "twice",
    "empty",
    "head",
    "unknown",
    "none",
    "names",
    "plain",
    "nothing-there",
];

const SINGLE: &[&str] = &[
    "plain",
    "sized",
    "starred",
    "sha256",
    "whirlpool",
    "bsd",
    "mixed",
    "nsrl20",
    "nsrl15",
    "ilook3",
    "ilook4",
    "encase",
    "encase-short",
    "all",
    "empty",
    "comments",
    "nothing-there",
];

fn each(lab: &Lab, names: &[&str], commands: &[&str], lines: &[&str]) {
    for list in names {
        for command in commands {
            for line in lines {
                let line = line.replace("LIST", &format!("known/{list}"));
                lab.same(command, &line.split_ascii_whitespace().collect::<Vec<_>>());
            }
        }
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn hashdeep_matches_and_audits_the_same() {
    if !installed() {
        return;
    }
    let lab = Lab::new();
    odd_tree(&lab);
    lists(&lab);
    each(
        &lab,
        HASHDEEP,
        &["hashdeep"],
        &[
            "-a -vvv -k LIST -r tree odd",
            "-a -v -k LIST -rl tree",
            "-avv -E -k LIST -rb tree",
            "-m -w -k LIST -r tree",
            "-x -k LIST -r tree",
            "-M -k LIST -r tree",
            "-X -k LIST -rl tree/b",
        ],
    );
    each(
        &lab,
        &["all", "pieces", "upper"],
        &["hashdeep"],
        &[
            "-ap 512 -vvv -k LIST -r tree/sizes",
            "-s -a -k LIST -r tree",
            "-a -0vv -k LIST -r tree/b",
            "-d -m -k LIST -r tree",
            "-d -M -w -k LIST -r tree",
            "-a -k LIST -c sha1 -r tree/b",
            "-c sha1 -a -k LIST -r tree/b",
            "-ak LIST -k known/sha1 -vvr tree odd",
            "-k LIST -r tree/b",
            "-d -avv -k LIST -r tree",
            "-mw",
            "-i 513 -x -k LIST -r tree",
            "-a -k LIST -I 513 -vvv -r tree",
            "-x -I 513 -k LIST -r tree",
        ],
    );
}

#[test]
#[ignore = "campaign: takes long"]
fn the_commands_for_one_algorithm_match_the_same() {
    if !installed() {
        return;
    }
    let lab = Lab::new();
    odd_tree(&lab);
    lists(&lab);
    let lines = [
        "-m LIST -r tree",
        "-x LIST -r tree",
        "-M LIST -wr tree",
        "-X LIST -wrl tree",
        "-n -m LIST -r tree/sizes",
        "-S -m LIST tree/a",
    ];
    each(&lab, SINGLE, &["md5deep", "sha1deep", "sha256deep", "whirlpooldeep"], &lines);
    each(
        &lab,
        &["plain", "bsd"],
        &["md5deep"],
        &[
            "-s -m LIST tree/a",
            "-m LIST -s tree tree/a",
            "-m LIST -m known/sized -wr tree",
            "-m LIST -x LIST",
            "-x LIST -m LIST",
            "-Mkz LIST -r tree",
            "-M LIST -crz tree",
            "-M LIST -kr tree",
            "-m LIST -p 512 -r tree",
            "-M LIST -p 512 -wr tree",
            "-d -m LIST -r tree",
            "-d -x LIST -wr tree",
            "-dn -x LIST -r tree",
            "-d -p 512 -m LIST -r tree",
            "-n -x LIST -r tree",
            "-0m LIST -r tree odd",
            "-I 512 -x LIST -r tree",
            "-I 512 -nx LIST -r tree",
            "-Zm LIST -r tree",
            "-qm LIST -r tree",
            "-a 51037a4a37730f52c8732586d3aaa316 -wr tree",
            "-A 51037A4A37730F52C8732586D3AAA316 -r tree",
            "-a xyz -rn tree",
            "-a 51037a4a37730f52c8732586d3aaa316 -m LIST -wr tree",
            "-a 00 -A 00",
            "-m LIST",
            "-M LIST -w",
            "-xLIST",
            "-u -m LIST -r tree",
        ],
    );
}
