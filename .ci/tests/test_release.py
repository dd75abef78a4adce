import unittest

from fixtures import MEMBERS

import workspace
from release import entries, problem

CHANGELOG = """# Changelog

Prose with [a link](https://example.org).

## [Unreleased]

### Fixed

- A sign.

## [1.2.0] - 2026-11-30

### Added

- The beginning.

## 1.1.0 - 2026-10-01
"""
WITHOUT_NEWS = CHANGELOG.replace("### Fixed\n\n- A sign.\n", "")
UNDATED = CHANGELOG.replace(" - 2026-11-30", "")
CORE = MEMBERS["core"]


def judge(changelog, due=False, changed=False, release=True):
    return problem(CORE, changelog, due, changed, release)


class Entries(unittest.TestCase):
    def test_names_dates_and_texts(self):
        self.assertEqual(
            entries(CHANGELOG),
            {
                "Unreleased": (None, "### Fixed\n\n- A sign."),
                "1.2.0": ("2026-11-30", "### Added\n\n- The beginning."),
                "1.1.0": ("2026-10-01", ""),
            },
        )


class Problem(unittest.TestCase):
    def test_a_due_version_needs_a_dated_entry(self):
        self.assertIsNone(judge(CHANGELOG, due=True))
        self.assertIn("## [1.2.0] - YYYY-MM-DD", judge(UNDATED, due=True))
        self.assertIn("shared/core/CHANGELOG.md", judge("", due=True))

    def test_before_the_release_an_undated_or_pending_entry_will_do(self):
        pending = "## [Unreleased]\n\n- All of it.\n"
        self.assertIsNone(judge(UNDATED, due=True, release=False))
        self.assertIsNone(judge(pending, due=True, release=False))
        self.assertIn("does not describe it", judge("", due=True, release=False))

    def test_a_change_after_a_release_needs_a_word(self):
        self.assertIsNone(judge(CHANGELOG, changed=True))
        self.assertIn("[Unreleased]", judge(WITHOUT_NEWS, changed=True))
        self.assertIsNone(judge(WITHOUT_NEWS))


class Order(unittest.TestCase):
    def test_what_is_used_goes_first_even_through_what_is_not_published(self):
        self.assertEqual(workspace.in_order({"front", "core"}, MEMBERS), ["core", "front"])
        self.assertEqual(
            workspace.in_order({"front", "core", "tool", "lone"}, MEMBERS),
            ["core", "tool", "front", "lone"],
        )

    def test_private_crates_are_known(self):
        self.assertFalse(MEMBERS["checker"].publishable)
        self.assertTrue(MEMBERS["core"].publishable)


if __name__ == "__main__":
    unittest.main()
