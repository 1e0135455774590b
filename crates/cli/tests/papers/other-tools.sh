mkdir A002R2EC; echo clip > A002R2EC/clip.mov; cp -rp A002R2EC mnt/backup/
sha256sum photos/*/* > SHA256SUMS
