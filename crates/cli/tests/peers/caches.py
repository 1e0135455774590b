"""Makes caches by the libraries that own their layouts, and checks them: caches.py huggingface|dvc|swh make|check FOLDER."""

import hashlib
import pathlib
import sys

CONTENTS = {"config.json": b"{}", "model.safetensors": b"weights " * 5000, "d/vocab.txt": b"a\nb\n"}


def git_blob(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class HuggingFace:
    def __init__(self, folder):
        from huggingface_hub import file_download, scan_cache_dir

        self.library, self.scan, self.cache = file_download, scan_cache_dir, folder

    def make(self):
        name = self.library.repo_folder_name(repo_id="own/model", repo_type="model")
        folder, revision = self.cache / name, "1" * 40
        for file, content in CONTENTS.items():
            large = len(content) > 1000
            etag = hashlib.sha256(content).hexdigest() if large else git_blob(content)
            blob = folder / "blobs" / etag
            blob.parent.mkdir(parents=True, exist_ok=True)
            blob.write_bytes(content)
            pointer = pathlib.Path(self.library._get_pointer_path(str(folder), revision, file))
            pointer.parent.mkdir(parents=True, exist_ok=True)
            self.library._create_symlink(str(blob), str(pointer), new_blob=True)
        self.library._cache_commit_hash_for_specific_revision(str(folder), "main", revision)

    def check(self):
        return [str(warning) for warning in self.scan(self.cache).warnings]


class Dvc:
    def __init__(self, folder):
        from dvc_data.hashfile.build import build
        from dvc_data.hashfile.db.local import LocalHashFileDB
        from dvc_data.hashfile.transfer import transfer
        from dvc_objects.fs.local import LocalFileSystem

        self.build, self.transfer, self.system = build, transfer, LocalFileSystem()
        self.cache = folder / "files" / "md5"
        self.store = LocalHashFileDB(self.system, str(self.cache))
        self.folder = folder

    def make(self):
        source = self.folder.parent / "source"
        for file, content in CONTENTS.items():
            (source / file).parent.mkdir(parents=True, exist_ok=True)
            (source / file).write_bytes(content)
        staging, _, tree = self.build(self.store, str(source), self.system, "md5")
        self.transfer(staging, self.store, {tree.hash_info}, shallow=False)

    def check(self):
        from dvc_objects.errors import ObjectFormatError

        wrong = []
        for oid in list(self.store.all()):
            try:
                self.store.check(oid, check_hash=True)
            except ObjectFormatError as error:
                wrong.append(str(error))
        return wrong


class Swh:
    def __init__(self, folder, **settings):
        from swh.objstorage.factory import get_objstorage

        folder.mkdir(parents=True, exist_ok=True)
        self.store = get_objstorage(
            "pathslicing", root=str(folder), slicing="0:2/2:4/4:6", allow_delete=True, **settings
        )

    def make(self):
        from swh.model.model import Content

        for content in CONTENTS.values():
            self.store.add(content, Content.from_data(content).hashes())

    def check(self):
        from swh.model.model import Content
        from swh.objstorage.exc import Error

        wrong = []
        for content in CONTENTS.values():
            try:
                self.store.check(Content.from_data(content).hashes())
            except Error as error:
                wrong.append(str(error))
        return wrong


KINDS = {"huggingface": HuggingFace, "dvc": Dvc, "swh": Swh}

kind, action, folder, *settings = sys.argv[1:]
cache = KINDS[kind](pathlib.Path(folder).absolute(), **dict(setting.split("=") for setting in settings))
if action == "make":
    cache.make()
else:
    wrong = cache.check()
    print("\n".join(wrong))
    sys.exit(bool(wrong))
