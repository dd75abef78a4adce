import unittest

from fixtures import MEMBERS

from tree import LARGEST, crate_files, large, machine_paths


class Tree(unittest.TestCase):
    def test_size(self):
        self.assertEqual(list(large("a", bytes(LARGEST))), [])
        self.assertEqual(len(list(large("a", bytes(LARGEST + 1)))), 1)

    def test_paths_of_one_machine(self):
        home = "/" + "home/someone/x"
        self.assertIn("a:2", next(machine_paths("a", f"ok\nsee {home}\n".encode())))
        for before in ["~", "https://example.org", "a"]:
            fine = before + home
            self.assertEqual(list(machine_paths("a", fine.encode())), [], fine)
        self.assertEqual(list(machine_paths("a", b"\0" + home.encode())), [])

    def test_a_published_crate_carries_its_papers(self):
        names = {"shared/core/README.md", "shared/core/CHANGELOG.md", "shared/core/LICENSE-MIT"}
        self.assertEqual(
            list(crate_files([MEMBERS["core"], MEMBERS["checker"]], names)),
            ["shared/core/LICENSE-APACHE is missing; every published crate carries it"],
        )


if __name__ == "__main__":
    unittest.main()
