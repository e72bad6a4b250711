"""A page as a tree that was read strictly: what is not closed or closed twice is an error."""

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "img"}


class Node:
    """An element: its tag, attributes, parent and children; texts are children too."""

    def __init__(self, tag, attrs, parent):
        self.tag, self.attrs, self.parent, self.children = tag, attrs, parent, []

    @property
    def text(self):
        parts = (one if isinstance(one, str) else one.text for one in self.children)
        return " ".join(" ".join(parts).split())

    @property
    def classes(self):
        return (self.attrs.get("class") or "").split()

    def all(self, tag=None, **attrs):
        """The elements inside that have a tag and attributes; `kind` is one of their classes."""
        kind = attrs.pop("kind", None)
        found = []
        for one in self.children:
            if isinstance(one, str):
                continue
            fits = all(one.attrs.get(name) == value for name, value in attrs.items())
            if fits and tag in (None, one.tag) and kind in (None, *one.classes):
                found.append(one)
            found += one.all(tag, kind=kind, **attrs)
        return found


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.root = self.here = Node("", {}, None)

    def handle_starttag(self, tag, attrs):
        node = Node(tag, dict(attrs), self.here)
        assert len(node.attrs) == len(attrs), f"an attribute stands twice in {tag} {attrs}"
        self.here.children.append(node)
        if tag not in VOID:
            self.here = node

    def handle_startendtag(self, tag, attrs):
        self.here.children.append(Node(tag, dict(attrs), self.here))

    def handle_endtag(self, tag):
        assert tag == self.here.tag, f"</{tag}> where <{self.here.tag}> is open: {self.getpos()}"
        self.here = self.here.parent

    def handle_data(self, data):
        self.here.children.append(data)


def parse(text):
    """The tree of a page."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.here is reader.root, f"<{reader.here.tag}> is not closed"
    return reader.root
