hashmill hash -c sha256 -f jsonl -o m.jsonl photos
