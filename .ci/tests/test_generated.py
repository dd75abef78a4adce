import sys
import unittest

from fixtures import workspace

sys.path.insert(0, str(workspace.ROOT / "docs"))

from generated import Malformed, regenerate  # noqa: E402

PRINTS = {"list": "| a |\n|---|", "help": "usage: x"}.__getitem__


class Regenerate(unittest.TestCase):
    def test_markdown_replaces_what_stood_there(self):
        old = "# A\n<!-- generated: list -->\nold\n<!-- /generated -->\nrest\n"
        new = "# A\n<!-- generated: list -->\n\n| a |\n|---|\n\n<!-- /generated -->\nrest\n"
        self.assertEqual(regenerate(old, PRINTS), new)
        self.assertEqual(regenerate(new, PRINTS), new)

    def test_text_goes_into_a_fence_longer_than_any_inside(self):
        old = "<!-- generated as text: help -->\n<!-- /generated -->"
        self.assertEqual(
            regenerate(old, PRINTS),
            "<!-- generated as text: help -->\n```text\nusage: x\n```\n<!-- /generated -->",
        )
        self.assertIn("````text\n```\n````", regenerate(old, lambda _: "```"))

    def test_markers_in_a_fence_are_examples(self):
        page = "```md\n<!-- generated: nothing -->\n```\nprose\n"
        self.assertEqual(regenerate(page, PRINTS), page)

    def test_markers_without_partner_are_named_by_line(self):
        for page, line in [
            ("x\n<!-- generated: list -->\n", "line 2: no"),
            ("<!-- /generated -->\n", "line 1: .* closes nothing"),
            ("<!-- generated: list -->\n<!-- generated: list -->\n", "line 2: .* line 1 is still"),
        ]:
            with self.assertRaisesRegex(Malformed, line):
                regenerate(page, PRINTS)


if __name__ == "__main__":
    unittest.main()
