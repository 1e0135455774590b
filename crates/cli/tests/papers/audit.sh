# needs git
repository
mkdir -p blobs image/blobs/sha256
blob() { sum=$(printf %s "$1" | sha256sum | cut -c1-64); printf %s "$1" > $2/$sum; echo $sum; }
part() { printf '"mediaType":"application/vnd.oci.image.%s","size":%s,"digest":"sha256:%s"' $1 ${#2} $(blob "$2" image/blobs/sha256); }
blob abc blobs
echo '{"imageLayoutVersion":"1.0.0"}' > image/oci-layout
layer=$(part layer.v1.tar layer)
config=$(part config.v1+json "{\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"sha256:$(printf layer | sha256sum | cut -c1-64)\"]}}")
echo "{\"schemaVersion\":2,\"manifests\":[{$(part manifest.v1+json "{\"schemaVersion\":2,\"config\":{$config},\"layers\":[{$layer}]}")}]}" > image/index.json
model=.cache/huggingface/hub/models--a--b
revision=$(printf %040d 1)
mkdir -p $model/blobs $model/refs $model/snapshots/$revision; printf $revision > $model/refs/main
ln -s ../../blobs/$(blob abc $model/blobs) $model/snapshots/$revision/weights
mkdir -p card/DCIM drop; cp photos/2019/beach.jpg card/DCIM/0001.jpg; cp photos/2020/snow.jpg card/DCIM/0002.jpg; echo new > card/DCIM/0003.jpg
touch card/DCIM/empty; cp card/DCIM/000* drop; hashmill hash -o 2025.manifest photos/2019; hashmill hash -o 2026.manifest photos/2020
