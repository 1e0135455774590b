head -c 20000000 /dev/zero > big.tar
hashmill hash -c dropbox -f sums big.tar | sed 's/^dropbox //' > list
