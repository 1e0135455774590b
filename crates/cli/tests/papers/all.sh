# Files with the names that pages have.
mkdir -p photos/2019 photos/2020 DIR data secrets drafts docs archive/2010 archive/2011 mnt/backup mnt/ingest mnt/disk3 .ssh
echo abc > photos/2019/beach.jpg
echo def > photos/2020/snow.jpg
echo one > DIR/one; echo two > DIR/two; echo one > data/x; echo key > secrets/x; echo x > mnt/disk3/x; printf hello > docs/a.txt
for name in a b d m release-1.0 llama; do mkdir $name; echo $name > $name/x; done
head -c 5000 /dev/zero | tr '\0' a | tee archive/2010/tape-06.tar > archive/2011/tape-07.tar; echo notes > archive/notes.txt
cp -rp photos archive mnt/backup/
mkdir upload; cp -rp photos data upload/ # for the store, where a test has one
ssh-keygen -q -t ed25519 -N '' -C alice -f .ssh/id_ed25519
echo "alice@example.org $(cat .ssh/id_ed25519.pub)" > allowed_signers
# Writes what S3 lists of a bucket with the photos into a folder.
inventory() {
    mkdir -p $1/data
    (cd photos && find . -type f -printf '%P\n') | while read -r name; do
        echo "\"bucket\",\"$name\",\"$(wc -c < photos/$name)\",\"$(md5sum < photos/$name | cut -c1-32)\""
    done | gzip > $1/data/1.csv.gz
    cat > $1/manifest.json <<END
{"sourceBucket": "bucket", "destinationBucket": "arn:aws:s3:::inventories", "version": "2016-11-30", "creationTimestamp": "1764547200000",
 "fileFormat": "CSV", "fileSchema": "Bucket, Key, Size, ETag",
 "files": [{"key": "data/1.csv.gz", "size": $(wc -c < $1/data/1.csv.gz), "MD5checksum": "$(md5sum < $1/data/1.csv.gz | cut -c1-32)"}]}
END
}
# Makes a repository whose only file is in Git LFS.
repository() {
    local sum=$(printf abc | sha256sum | cut -c1-64)
    git init -q repository; mkdir -p repository/.git/lfs/objects/$(echo $sum | cut -c1-2)/$(echo $sum | cut -c3-4)
    printf abc > repository/.git/lfs/objects/$(echo $sum | cut -c1-2)/$(echo $sum | cut -c3-4)/$sum
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 3\n' $sum > repository/large
    echo 'large filter=lfs' > repository/.gitattributes
    (cd repository; git add .gitattributes; git -c filter.lfs.clean=cat -c filter.lfs.required=false add large
     git -c user.name=a -c user.email=a@b commit -qm m)
}
