"""Unpacking: what leads outside is refused, and nothing is left behind."""

import io
import os
import tarfile
import time
import zipfile

import pytest

from mlfs.datasets import unpack
from mlfs.datasets.published.archive import copy_member, open_member
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
def test_members_that_lead_outside_are_refused(tmp_path, name, kind):
    path = archive(tmp_path / "a.tar.gz", ("good", tarfile.REGTYPE), (name, kind))
    with pytest.raises(UserError, match="leads outside"):
        unpack(path, tmp_path / "deep" / "out")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a.tar.gz", "deep"]


def test_archives_that_are_too_large_are_refused(tmp_path):
    path = archive(tmp_path / "a.tar.gz", *((str(i), tarfile.REGTYPE) for i in range(3)))
    with pytest.raises(UserError, match="more than 14 bytes"):
        unpack(path, tmp_path / "out", max_bytes=14)
    assert len(list(unpack(path, tmp_path / "out", max_bytes=15).iterdir())) == 3


@pytest.mark.parametrize("kind", ["", "gz", "bz2", "xz"])
def test_an_archive_that_is_cut_off_ends_in_a_sentence(tmp_path, kind):
    whole, cut = tmp_path / "whole", tmp_path / "a.tar"
    with tarfile.open(whole, f"w:{kind}") as tar:
        for name in ("first", "last"):
            info = tarfile.TarInfo(name)
            info.size = 3000
            tar.addfile(info, io.BytesIO(os.urandom(3000)))
    content = whole.read_bytes()
    for length in (0, 1, 10, 700, len(content) // 2):
        cut.write_bytes(content[:length])
        told = r"a\.tar is cut off or damaged|does not contain"
        with pytest.raises(UserError, match=told), open_member(cut, "last") as file:
            file.read()
        if length > 1000 or kind:
            with pytest.raises(UserError, match=r"a\.tar is cut off or damaged"):
                unpack(cut, tmp_path / "out")
        assert not list(tmp_path.glob("*out*"))


def test_a_zip_archive_that_is_cut_off_or_locked_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.mat", "content " * 99)
    content = path.read_bytes()
    for length in (0, 10, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(OSError, match="the downloaded archive is damaged"):
            copy_member(path, "a.mat", tmp_path / "out")
    entry = content.index(b"PK\x01\x02")
    path.write_bytes(content[: entry + 8] + b"\x01" + content[entry + 9 :])  # says encrypted
    with pytest.raises(OSError, match="the downloaded archive is damaged"):
        copy_member(path, "a.mat", tmp_path / "out")


def test_what_a_killed_process_was_unpacking_is_removed_after_a_day(tmp_path):
    path = archive(tmp_path / "a.tar.gz", ("1.jpg", tarfile.REGTYPE))
    for name, hours in ((".unpack-old", 25), (".unpack-new", 1)):
        (tmp_path / name / "content").mkdir(parents=True)
        then = time.time() - 3600 * hours
        os.utime(tmp_path / name, (then, then))
    unpack(path, tmp_path / "out")
    assert sorted(p.name for p in tmp_path.glob(".unpack-*")) == [".unpack-new"]
