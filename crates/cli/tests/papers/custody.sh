# needs ssh-keygen minisign
#= b889… $(sha256sum < photos.manifest.seal | cut -c1-64)
#= 71d0… $(sha256sum < tuesday.manifest.seal | cut -c1-64)
#= ea7b… $(hashmill hash -f sums disk.img | cut -c1-64)
#@ hashmill sign M --key KEY
hashmill hash -o M photos; cp .ssh/id_ed25519 KEY
#@ hashmill sign M --key minisign.key
minisign -G -W -p minisign.pub -s minisign.key
#@ hashmill hash --seal -o photos.manifest photos
rm photos.manifest*
#@ hashmill proof verify beach.proof
cp photos/2019/beach.jpg .
#@ hashmill seal create --old monday.seal tuesday.manifest
cp photos.manifest.seal monday.seal; cp -r photos q; hashmill hash -o tuesday.manifest photos q
#@ 1 hashmill diff --roots old.manifest new.manifest
hashmill hash --seal -o old.manifest photos; hashmill hash --seal -o new.manifest photos q
#@ hashmill outboard create disk.img
truncate -s 64M disk.img
