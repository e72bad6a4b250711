"""Unpacking: what leads outside is refused, and nothing is left behind."""

import io
import tarfile

import pytest

from mlfs.datasets import unpack
from mlfs.errors import UserError


def archive(path, *members):
    with tarfile.open(path, "w:gz") as tar:
        for name, kind in members:
            info = tarfile.TarInfo(name)
            info.type = kind
            info.linkname = "/etc/passwd"
            info.size = 5 if kind == tarfile.REGTYPE else 0
            tar.addfile(info, io.BytesIO(b"hello"))
    return path


def test_unpacks_and_keeps_what_is_there(tmp_path):
    path = archive(tmp_path / "a.tar.gz", ("train/cat/1.jpg", tarfile.REGTYPE))
    out = unpack(path, tmp_path / "out")
    assert (out / "train/cat/1.jpg").read_bytes() == b"hello"
    (out / "mine").touch()
    assert (unpack(path, tmp_path / "out") / "mine").exists()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("../outside", tarfile.REGTYPE),
        ("a/../../outside", tarfile.REGTYPE),
        ("/tmp/outside", tarfile.REGTYPE),
        ("link", tarfile.SYMTYPE),
        ("link", tarfile.LNKTYPE),
        ("device", tarfile.CHRTYPE),
    ],
)
def test_refuses_what_leads_outside(tmp_path, name, kind):
    path = archive(tmp_path / "a.tar.gz", ("good", tarfile.REGTYPE), (name, kind))
    with pytest.raises(UserError, match="leads outside"):
        unpack(path, tmp_path / "deep" / "out")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a.tar.gz", "deep"]


def test_refuses_what_is_too_large(tmp_path):
    path = archive(tmp_path / "a.tar.gz", *((str(i), tarfile.REGTYPE) for i in range(3)))
    with pytest.raises(UserError, match="more than 14 bytes"):
        unpack(path, tmp_path / "out", max_bytes=14)
    assert len(list(unpack(path, tmp_path / "out", max_bytes=15).iterdir())) == 3
