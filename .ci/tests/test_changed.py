import unittest

from fixtures import MEMBERS

from changed import affected

EVERY = sorted(MEMBERS)


class Affected(unittest.TestCase):
    def test_a_crate_takes_its_users_along_and_those_that_test_with_it(self):
        self.assertEqual(
            affected(["shared/core/src/lib.rs"], MEMBERS), ["checker", "core", "front", "tool"]
        )

    def test_users_are_hit_but_not_what_is_used(self):
        self.assertEqual(affected(["crates/tool/README.md"], MEMBERS), ["front", "tool"])

    def test_a_test_only_use_hands_nothing_on(self):
        self.assertEqual(affected(["checker/src/lib.rs"], MEMBERS), ["checker"])

    def test_a_folder_whose_name_begins_alike_is_another_one(self):
        self.assertEqual(affected(["crates/tool-two/x.rs"], MEMBERS), EVERY)

    def test_prose_affects_none(self):
        self.assertEqual(affected(["README.md", "docs/src/introduction.md"], MEMBERS), [])

    def test_what_takes_part_in_every_build_affects_all(self):
        for file in ["Cargo.lock", "Cargo.toml", ".ci/run", "something/new"]:
            self.assertEqual(affected([file], MEMBERS), EVERY, file)

    def test_no_change_affects_none(self):
        self.assertEqual(affected([], MEMBERS), [])


if __name__ == "__main__":
    unittest.main()
