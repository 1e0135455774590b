mkdir -p photos/x; echo x > photos/x/y
hashmill hash -c sha256 -f jsonl -o photos.jsonl photos
for name in photos.sqlite photos.parquet; do hashmill convert photos.jsonl $name; done
cp photos.parquet lastyear.parquet; hashmill hash -c sha256 -o part.parquet photos/x
