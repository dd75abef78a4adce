import unittest

from fixtures import workspace  # noqa: F401  (puts the scripts on the path)

try:
    import yaml  # noqa: F401
except ImportError:
    raise unittest.SkipTest("PyYAML is not installed; .ci/run installs it")

from workflows import pins, problems

TRACKED = {".ci/run", "tools/check.py", "docs/book.toml"}
STEPS = {"fmt", "test"}
COMMIT = "0123456789" * 4


def judge(run, paths="docs/**"):
    script = "\n".join("          " + line for line in run.split("\n"))
    text = (
        f"on:\n  push:\n    paths: ['{paths}']\n"
        f"jobs:\n  one:\n    steps:\n      - run: |\n{script}\n"
    )
    return list(problems(text, TRACKED, STEPS))


class Problems(unittest.TestCase):
    def test_what_is_there_passes(self):
        for run in [
            "python3 tools/check.py",
            "bash .ci/run fmt test",
            "x=$(echo a | sed 's/a/b/') && echo \"$x\"",
            "for a in 1 2; do\n  if ((a > 1)); then echo $a; fi\ndone",
            "target/ci/tool --flag",
        ]:
            self.assertEqual(judge(run), [], run)

    def test_what_is_not_there_is_named(self):
        for run, what in [
            ("python3 tools/gone.py", "tools/gone.py"),
            ('echo "x=$(python3 tools/gone.py)"', "tools/gone.py"),
            ("true && no-such-program-x --flag", "no-such-program-x"),
            ("bash .ci/run fmt tset", "tset"),
            ("if true; then", "bash cannot read it"),
        ]:
            found = judge(run)
            self.assertTrue(found and what in found[0], (run, found))

    def test_a_filter_that_matches_nothing(self):
        self.assertIn("'dosc/**'", judge("true", "dosc/**")[0])
        self.assertEqual(judge("true", "**/book.toml"), [])


class Pins(unittest.TestCase):
    def test_a_commit_with_its_version(self):
        good = f"  - uses: a/b@{COMMIT} # v1.2.3"
        self.assertEqual(list(pins({"x": good, "y": good})), [])
        for bad in ["  - uses: a/b@v1", f"  - uses: a/b@{COMMIT}", "  uses: a/b@main # v1"]:
            self.assertEqual(len(list(pins({"x": bad}))), 1, bad)
        other = good.replace("0123", "3210", 1)
        self.assertIn("another commit", next(pins({"x": good, "y": other})))


if __name__ == "__main__":
    unittest.main()
