# needs ewfacquirestream mkntfs ntfscp sfdisk qemu-img
truncate -s 4M ntfs.img; mkntfs -q -F -p 2048 ntfs.img > log 2>&1; ntfscp -f -q ntfs.img docs/a.txt a.txt >> log 2>&1
truncate -s 8M disk.img; echo 2048,8192,7 | sfdisk -q disk.img; dd if=ntfs.img of=disk.img bs=512 seek=2048 conv=notrunc 2>> log
ewfacquirestream -q -t case -C 2026-17 -D disk -e Ada -E 3 -N - < disk.img >> log 2>&1
mkdir machines; qemu-img create -q -f qcow2 base.qcow2 1M
qemu-img create -q -f qcow2 -F qcow2 -b base.qcow2 layer.qcow2; cp layer.qcow2 machines/
