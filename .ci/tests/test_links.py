import tempfile
import unittest
from pathlib import Path

from fixtures import workspace  # noqa: F401  (puts the scripts on the path)

from links import anchors, broken, unlisted

PAGE = """# First part
[file](b.md) [heading](b.md#the-second-one) [own](#first-part) [folder](sub) [web](https://x.y/z)
`[code](no.md)`
```
[fenced](no.md)
```
[gone](no.md) [no heading](b.md#none)
[out](../../x.md)

[reference]: missing.md
"""


class Links(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        (self.root / "b.md").write_text("# B\n\n## The `second` one\n", encoding="utf-8")
        self.page = self.root / "a.md"
        self.page.write_text(PAGE, encoding="utf-8")

    def test_each_broken_link_is_named_by_line(self):
        found = list(broken(self.page, PAGE, self.root, {"a.md", "b.md", "sub/c.txt"}))
        self.assertEqual(
            found,
            [
                "a.md:7: no.md leads to no tracked file",
                "a.md:7: b.md#none names no heading of b.md",
                "a.md:8: ../../x.md leads out of the repository",
                "a.md:10: missing.md leads to no tracked file",
            ],
        )

    def test_the_book_links_to_itself_or_the_web(self):
        page = self.root / "docs/src/a.md"
        found = list(broken(page, "[b](../../b.md)", self.root, {"b.md"}))
        self.assertEqual(len(found), 1)
        self.assertIn("out of the book", found[0])

    def test_anchors_as_the_web_names_them(self):
        text = "# A: b, `c`\n" * 3 + "```\n# no\n```\n<a id='own'></a>"
        self.assertEqual(anchors(text), {"a-b-c", "a-b-c-1", "a-b-c-2", "own"})

    def test_a_page_no_list_names_is_told(self):
        source = self.root / "docs/src"
        source.mkdir(parents=True)
        (source / "SUMMARY.md").write_text("- [A](a.md)\n", encoding="utf-8")
        tracked = ["docs/src/SUMMARY.md", "docs/src/a.md", "docs/src/b.md", "b.md"]
        self.assertEqual(len(list(unlisted(self.root, tracked))), 1)


if __name__ == "__main__":
    unittest.main()
