sha256sum photos/*/* > SHA256SUMS
