# needs tar zstd zip
tar -cf backup.tar docs; zstd -q backup.tar; cp -r docs FOLDER
hashmill hash -o MANIFEST docs
tar -cf a.tar -C docs a.txt; (cd docs; zip -q ../a.zip a.txt); zip -qr backup.zip docs; cp a.tar b.tar
hashmill bag create -q -o papers a; zip -qr papers.zip papers; gzip -k a.tar; mv a.tar.gz v1.tar.gz
