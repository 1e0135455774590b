# needs mkfs.vfat sqlite3
mkdir case; printf 'Dear Sir,\n' > case/letter.txt; printf '%%PDF-1.7\n' > case/holiday.jpg
printf 'rule pdf { strings: $a = "%%PDF" condition: $a at 0 }\n' > case.yar
head -c 200000 /dev/zero | tr '\0' a > case/a.log; seq 1 2000 > case/numbers; printf 'path,size\n' > case/list.csv
hashmill hash -c sha256 -f sums -o bad.sha256 case/letter.txt; hashmill known build -q -o bad.hmk --bad bad.sha256
hashmill similar digest -c ssdeep case/numbers > bad.ssdeep; mkfs.vfat -C before.dd 2048 > /dev/null
printf '<FFSignatureFile Version="1"><FileFormatCollection><FileFormat ID="1" PUID="x-fmt/111" Name="Text"><Extension>txt</Extension></FileFormat></FileFormatCollection></FFSignatureFile>' > droid.xml
#@ 1 $ hashmill triage case
