inventory inventory; inventory inv/2026-11-22T01-00Z
