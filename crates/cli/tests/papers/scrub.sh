# needs cc
export LD_PRELOAD=$SHIM FAULT_PATH=tape-07.tar FAULT_FLIP=3
hashmill scrub -q archive --state archive.state
printf '`' | dd of=mnt/backup/archive/2011/tape-07.tar bs=1 seek=3 conv=notrunc 2>&1
unset LD_PRELOAD
echo more >> archive/notes.txt
mkdir keys
#@ hashmill scrub archive --state archive.state --sign
rm archive.state
#@ ssh-keygen -t ed25519 -f ~/keys/scrub
alias ssh-keygen="ssh-keygen -N ''"
#@ hashmill scrub archive --state archive.state -k archive.b3
rm archive.state*; hashmill hash -f sums -o archive.b3 archive
