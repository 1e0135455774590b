# needs git jq minisign mkfs.vfat openssl zip
#= 5891b5b5… $(hashmill tree -c model llama | cut -c1-64)
repository
hashmill hash --seal -o photos.manifest photos; hashmill hash -f jsonl -c md5,sha256 -o m.jsonl photos; cp m.jsonl project.jsonl
hashmill hash -f jsonl -o monday.jsonl a; hashmill hash -f jsonl -o tuesday.jsonl b
hashmill hash -f sums -c sha256 -o SHA256SUMS photos; cp allowed_signers signers; hashmill sign -q SHA256SUMS --key .ssh/id_ed25519
for name in a 2025 2026; do hashmill hash --seal -o $name.manifest photos; done; cp 2026.manifest b.manifest; cp 2026.manifest.seal b.manifest.seal
mkdir papers Pictures checkout; cp -r docs/. papers/; echo x > checkout/x
mkdir bags; hashmill bag create -q -o bags/one docs; hashmill bag create -q -o bag docs; (cd bag; zip -qr ../papers.zip .)
md5sum photos/2019/beach.jpg | cut -c1-32 | tee malware.sha256 > RDS.db
hashmill hash -f sums -o archive.b3 archive; echo 'rule never { condition: false }' > rules.yar
seq 1 2000 | tee old.doc | sed 's/^1000$/a thousand/' > new.doc; hashmill similar digest -c ssdeep old.doc > bad.ssdeep
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
openssl pkey -in key.pem -pubout -out key.pub
#@ hashmill bag create -o
rm -rf papers papers.zip; cp -r docs papers
#@ hashmill bag create -c
rm -r papers; cp -r docs papers
#@ hashmill diff before.dd
mkfs.vfat -C before.dd 2048 > /dev/null; cp before.dd after.dd
#@ hashmill hash --exclude '*.tmp'
rm -r m
#@ hashmill audit -k m -f json
rm m; hashmill hash -o m photos
#@ hashmill known build -o sets.hmk
hashmill hash -c sha256 -f sums photos/2020 > malware.sha256
#@ 1 hashmill known match --known-set sets.hmk /mnt
#@ 1 hashmill triage photos
#@ 1 hashmill known match --known-set sets.hmk --show bad
hashmill hash -f jsonl -c md5,sha256 -o m.jsonl --force photos
#@ hashmill tree -c dirhash
rm m; mkdir m; echo x > m/x
#@ hashmill proof create tuesday.manifest
hashmill hash --seal -o monday.manifest a; mv monday.manifest.seal monday.seal; hashmill hash --seal -o tuesday.manifest a b
#@ hashmill scrub ~/archive --state archive.state --accept
mkdir -p ~/archive/reports; echo one > ~/archive/reports/a; hashmill scrub -q ~/archive --state archive.state
echo another >> ~/archive/reports/a; hashmill scrub -q ~/archive --state archive.state || true
#@ hashmill scrub ~/archive --state archive.state -k
rm archive.state
#@ hashmill verify photos.manifest --allowed-signers allowed_signers --require 2
ssh-keygen -q -t ed25519 -N '' -f second; echo "bob@example.org $(cat second.pub)" >> allowed_signers
hashmill sign photos.manifest --key second
#@ hashmill verify photos.manifest --public-key
minisign -G -W -p minisign.pub -s minisign.key; hashmill sign photos.manifest --key minisign.key
