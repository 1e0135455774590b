# needs ewfacquirestream
inventory inventory; inventory inv/2026-11-22T01-00Z
hashmill hash -c md5 -f jsonl -o photos.jsonl photos
mkdir -p upload/lists upload/case upload/bags; (cd photos; sha256sum */*) | tee SHA256SUMS > upload/lists/SHA256SUMS
head -c 524288 /dev/zero | ewfacquirestream -q -t upload/case/disk -C 2026-17 -D disk -e Ada -E 3 -N - > log 2>&1
hashmill bag create -q -o upload/bags/papers docs
#@ 1 hashmill audit s3://bucket/ --against data --endpoint
#@ 1 hashmill audit s3://bucket/ --against data --min-strength
