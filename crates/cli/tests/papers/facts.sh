mkdir case; printf 'Dear Sir,\n' > case/letter.txt; printf '%%PDF-1.7\n' > case/holiday.jpg
printf 'rule pdf : document { meta: author = "me" strings: $a = "%%PDF" condition: $a at 0 }\n' > case.yar
head -c 200000 /dev/zero | tr '\0' a > case/a.log
printf 'path,size\n' > case/list.csv
#@ 1 $ hashmill hash -c crc32 -f jsonl --yara
