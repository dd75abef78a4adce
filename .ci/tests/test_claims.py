import sys
import unittest

from fixtures import workspace

sys.path.insert(0, str(workspace.ROOT / "docs"))

from claims import row  # noqa: E402

CLAIM = {
    "verdict": "not_reproduced",
    "statement": "|x| grows",
    "published": "8×",
    "estimate": {"mean": 1.23456, "low": 1.1, "high": 12345.0, "n": 9},
    "criterion": "ratio ≥ 2",
    "reason": "below",
}


class Row(unittest.TestCase):
    def test_a_measured_claim(self):
        self.assertEqual(
            row(CLAIM),
            "| not reproduced | \\|x\\| grows | 8× | 1.23 [1.1, 1.23e+04] | ratio ≥ 2 |",
        )

    def test_an_exact_value_has_no_interval(self):
        exact = {**CLAIM, "estimate": {"mean": 2.0, "low": 2.0, "high": 2.0, "n": 1}}
        self.assertIn("| 2 |", row(exact))

    def test_what_was_not_measured_gives_its_reason(self):
        missing = {**CLAIM, "estimate": None, "criterion": None, "published": None}
        self.assertEqual(row(missing), "| not reproduced | \\|x\\| grows | – | – | below |")


if __name__ == "__main__":
    unittest.main()
