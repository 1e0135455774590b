# needs openssl
#= h1:P+22… $(hashmill tree -c dirhash --prefix example.com/m@v1.2.3 m | cut -c1-47)
