# needs zip
md5sum photos/2019/beach.jpg | cut -c1-32 > malware.txt
mkdir mnt/evidence; cp photos/2020/snow.jpg mnt/evidence/
md5sum photos/2020/snow.jpg | cut -c1-32 > set.txt; zip -q RDS_2026.03.1_modern_minimal.zip set.txt
