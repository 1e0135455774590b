# needs ewfacquirestream
hashmill bag create -q -o bag docs; hashmill hash -o case.manifest photos; hashmill scrub -q archive --state archive.state
head -c 524288 /dev/zero | ewfacquirestream -q -t disk -C 2026-17 -D disk -e Ada -E 3 -N - > log 2>&1
