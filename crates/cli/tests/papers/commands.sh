# needs git openssl zip
repository; inventory inventory
head -c 100000 /dev/zero > disk.img
echo x > x.tar.gz; sha256sum x.tar.gz > x.tar.gz.sha256
sha256sum photos/*/* > SHA256SUMS
hashmill hash -o A a; hashmill hash -o B b; hashmill hash -o m.hashdeep DIR
cp allowed_signers FILE
echo 'rule never { condition: false }' > rules.yar
echo '<FFSignatureFile Version="1"><FileFormatCollection><FileFormat ID="1" PUID="x-fmt/111" Name="Text"><Extension>txt</Extension></FileFormat></FileFormatCollection></FFSignatureFile>' > droid.xml
md5sum photos/2019/beach.jpg | cut -c1-32 > malware.txt
seq 1 2000 | tee drafts/letter.txt | sed 's/^1000$/a thousand/' > drafts/letter-final.txt
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
openssl pkey -in key.pem -pubout -out key.pub
#@ hashmill hash --reuse
hashmill hash --metadata -f jsonl -o photos.jsonl DIR
#@ 1 $ hashmill audit -k photos.manifest photos
rm photos.manifest*; hashmill hash -o photos.manifest photos
echo ABC > photos/2019/beach.jpg; mv photos/2020/snow.jpg photos/winter.jpg
#@ $ hashmill dupes photos
cp photos/2019/beach.jpg "photos/copy of beach.jpg"
#@ hashmill hash -c sha256 s3://bucket/photos/
rm -r photos photos.manifest; cp -rp mnt/backup/photos .
#@ hashmill audit photos -k inventory/manifest.json
rm -r photos; cp -rp mnt/backup/photos .
#@ 1 hashmill known match
#@ hashmill known build
md5sum photos/2020/snow.jpg | cut -c1-32 > set.txt; zip -q rds.zip set.txt; echo new > photos/winter.jpg
