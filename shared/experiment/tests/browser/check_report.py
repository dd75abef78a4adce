#!/usr/bin/env python3
"""Looks at a report in a real browser and fails on anything a reader would stumble over.

    python3 -m venv .venv && .venv/bin/pip install -r requirements.txt
    apt-get install chromium chromium-driver
    .venv/bin/python check_report.py [--screenshots DIR] [--chromium PATH] [--chromedriver PATH] \
        REPORT

REPORT is the folder of a report or its index.html. The page is opened from file:// at widths of
360, 768 and 1280 pixels, each light and dark. Checked are: no console message from warnings up, no
request but for the page itself, no horizontal scroll (also with every part unfolded), every figure
drawn, inside the page and with alternative text and data, legible colours, tables that sort by
mouse and keyboard with aria-sort, unique ids, one main heading, and that each .svg file is a valid
drawing of its own. With --screenshots, pictures of all six and a printed PDF are written.

Exit code 0 when all is well, 1 with one line a problem on standard error, 2 for wrong usage.
"""

import argparse
import base64
import json
import pathlib
import shutil
import sys
import tempfile

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

WIDTHS = [(360, 780), (768, 1024), (1280, 900)]
SCHEMES = ["light", "dark"]
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]

# Runs in the page; gives a list of problems.
LAYOUT = r"""
const problems = [];
const page = document.documentElement;
const name = (e) => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "")
    + (e.getAttribute("class") ? "." + e.getAttribute("class").replaceAll(" ", ".") : "");
const fold = arguments[0];
for (const part of document.querySelectorAll("details")) part.open = fold;

window.scrollTo(10000, 0);
if (window.scrollX !== 0 || page.scrollWidth > window.innerWidth) {
    problems.push(`the page scrolls sideways: ${page.scrollWidth} px in ${window.innerWidth} px`);
    for (const e of document.body.querySelectorAll("*")) {
        if (e.getBoundingClientRect().right > window.innerWidth + 0.5 && !e.closest(".scroll, svg"))
            problems.push(`${name(e)} reaches beyond the page`);
    }
}
window.scrollTo(0, 0);

const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
const luminance = ([r, g, b]) => [r, g, b].map((c) => {
    c /= 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
};
const ground = (e) => {
    for (; e; e = e.parentElement) {
        const colour = rgb(getComputedStyle(e).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
};
const shown = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true });

for (const e of document.body.querySelectorAll("*")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== "");
    if (!own || !shown(e) || e.closest("svg, script, style")) continue;
    const ratio = contrast(rgb(getComputedStyle(e).color), ground(e));
    if (ratio < 4.5) problems.push(`${name(e)} has text of contrast ${ratio.toFixed(2)}`);
    const box = e.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) problems.push(`${name(e)} has text and no size`);
}

for (const figure of document.querySelectorAll("figure")) {
    const drawings = [...figure.querySelectorAll(".plot svg")].filter(shown);
    if (drawings.length !== 1) {
        problems.push(`${name(figure)} shows ${drawings.length} drawings instead of one`);
        continue;
    }
    const svg = drawings[0];
    const box = svg.getBoundingClientRect();
    if (box.width < 200 || box.height < 150)
        problems.push(`${name(figure)} is ${box.width} x ${box.height} px`);
    if (box.left < 0 || box.right > window.innerWidth)
        problems.push(`${name(figure)} is not within the page`);
    if (svg.getAttribute("role") !== "img" || !(svg.getAttribute("aria-label") || "").trim())
        problems.push(`${name(figure)} has no alternative text`);
    if (!figure.querySelector("details table tbody tr"))
        problems.push(`${name(figure)} has no table of its data`);
    if (!(figure.querySelector("figcaption")?.textContent || "").trim())
        problems.push(`${name(figure)} has no caption`);
    const marks = [...svg.querySelectorAll("polyline, polygon, circle, rect, line")];
    if (!marks.some((m) => { const b = m.getBoundingClientRect(); return b.width + b.height > 2; }))
        problems.push(`${name(figure)} is empty`);
    for (const text of svg.querySelectorAll("text")) {
        const b = text.getBoundingClientRect();
        if (b.left < box.left - 2 || b.right > box.right + 2 || b.top < box.top - 2 || b.bottom > box.bottom + 2)
            problems.push(`${name(figure)}: the text ${JSON.stringify(text.textContent)} is cut off`);
        if (b.height < 8) problems.push(`${name(figure)}: text of ${b.height.toFixed(1)} px is too small`);
        const ratio = contrast(rgb(getComputedStyle(text).fill), ground(svg));
        if (ratio < 4.5)
            problems.push(`${name(figure)}: the text ${JSON.stringify(text.textContent)} has contrast ${ratio.toFixed(2)}`);
    }
    const texts = [...svg.querySelectorAll("text")].map((t) => [t.textContent, t.getBoundingClientRect()]);
    texts.forEach(([a, p], i) => texts.slice(i + 1).forEach(([b, q]) => {
        const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
        const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
        if (wide > 1 && high > 3)
            problems.push(`${name(figure)}: the texts ${JSON.stringify(a)} and ${JSON.stringify(b)} overlap`);
    }));
    for (const mark of svg.querySelectorAll("polyline, polygon, circle")) {
        const style = getComputedStyle(mark);
        for (const property of ["fill", "stroke"]) {
            const colour = rgb(style[property]);
            // Grid lines and the holes of markers are meant to be faint.
            if (style[property] === "none" || colour.length < 3 || Number(style.opacity) < 1) continue;
            const ratio = contrast(colour, ground(svg));
            if (ratio < 3 && ratio > 1.8)
                problems.push(`${name(figure)}: a mark of ${style[property]} has contrast ${ratio.toFixed(2)}`);
        }
    }
}

const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i)))
    problems.push(`the id ${id} is used twice`);
for (const a of document.querySelectorAll('a[href^="#"]'))
    if (!document.getElementById(decodeURIComponent(a.getAttribute("href").slice(1))))
        problems.push(`the link ${a.getAttribute("href")} leads nowhere`);
if (document.querySelectorAll("h1").length !== 1) problems.push("there is not exactly one h1");
if (!page.lang) problems.push("the page names no language");
if (!document.title.trim()) problems.push("the page has no title");
return problems;
"""

KEYS = "return [...arguments[0].tBodies[0].rows].map((r) => r.cells[arguments[1]].dataset.key || '');"


class Browser:
    """A headless Chromium with a profile of its own."""

    def __init__(self, chromium, chromedriver, profile):
        options = Options()
        options.binary_location = chromium
        for flag in FLAGS:
            options.add_argument(flag)
        options.add_argument(f"--user-data-dir={profile}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(chromedriver))

    def open(self, url, width, height, scheme):
        self.command("Network.enable", {})
        self.command(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )
        self.command(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )
        self.driver.get(url)

    def command(self, name, parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def problems_in_logs(self, page):
        """Console messages from warnings up, and requests for anything but the page."""
        for entry in self.driver.get_log("browser"):
            if entry["level"] in ("WARNING", "SEVERE"):
                yield f"console {entry['level'].lower()}: {entry['message']}"
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                # The browser's own first page is not ours.
                if message["params"]["documentURL"].startswith("chrome://"):
                    continue
                url = message["params"]["request"]["url"]
                if url.split("#")[0] != page and not url.startswith("data:"):
                    yield f"request for {url}"

    def screenshot(self, path):
        shot = self.command(
            "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True}
        )
        path.write_bytes(base64.b64decode(shot["data"]))


def order(keys, direction):
    """What a sort must give: empty keys last, numbers by value, the rest by text."""
    filled = [key for key in keys if key != ""]
    numbers = [number(key) for key in filled]
    by = number if None not in numbers else None
    if by is None:
        return None  # Text follows the browser's collation; only its grouping is checked.
    filled.sort(key=by, reverse=direction == "descending")
    return filled + [""] * (len(keys) - len(filled))


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def sorting(driver):
    """Presses every column head by mouse, then by keyboard."""
    tables = driver.find_elements("css selector", "table[data-sortable]")
    for at, table in enumerate(tables):
        heads = table.find_elements("css selector", "thead th")
        for column, head in enumerate(heads):
            what = f"table {at + 1}, column {head.text!r}"
            printed = driver.execute_script(KEYS, table, column)
            buttons = head.find_elements("css selector", "button")
            if len(buttons) != 1:
                yield f"{what}: no button to sort by"
                continue
            press = [
                lambda: driver.execute_script("arguments[0].click()", buttons[0]),
                lambda: buttons[0].send_keys(Keys.ENTER),
                lambda: buttons[0].send_keys(Keys.SPACE),
            ]
            for expected, act in zip(["ascending", "descending", "none"], press):
                act()
                found = head.get_attribute("aria-sort")
                if found != expected:
                    yield f"{what}: aria-sort is {found!r} instead of {expected!r}"
                keys = driver.execute_script(KEYS, table, column)
                if sorted(keys) != sorted(printed):
                    yield f"{what}: sorting lost rows"
                right = printed if expected == "none" else order(printed, expected)
                if right is not None and keys != right:
                    yield f"{what}: {expected} gives {keys}"
                if right is None and "" in keys and "" in keys[: len(keys) - keys.count("")]:
                    yield f"{what}: missing values are not last"
                others = [h.get_attribute("aria-sort") for h in heads if h != head]
                if set(others) - {"none"}:
                    yield f"{what}: another column claims to be sorted too"


def drawings(browser, folder):
    """Each figure file must be an image of its own."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    for paper in report["papers"]:
        for figure in paper["figures"]:
            path = folder / figure["path"]
            if not path.is_file():
                yield f"{figure['path']} is missing"
                continue
            url = path.resolve().as_uri()
            browser.open(url, 900, 700, "light")
            found = browser.driver.execute_script(
                "const r = document.documentElement, b = r.getBoundingClientRect();"
                "return [r.localName, b.width, b.height, !!document.querySelector('parsererror'),"
                " (r.querySelector('title')?.textContent || '').trim(),"
                " (r.querySelector('desc')?.textContent || '').trim()];"
            )
            root, width, height, broken, title, text = found
            if root != "svg" or broken or width < 100 or height < 100:
                yield f"{figure['path']} is no valid drawing"
            if not title or not text:
                yield f"{figure['path']} has no title or description"
            yield from (f"{figure['path']}: {p}" for p in browser.problems_in_logs(url))


def check(browser, index, screenshots):
    page = index.resolve().as_uri()
    grounds = {}
    for scheme in SCHEMES:
        for width, height in WIDTHS:
            where = f"{width} px, {scheme}"
            browser.open(page, width, height, scheme)
            if screenshots:
                browser.screenshot(screenshots / f"{width}-{scheme}.png")
            driver = browser.driver
            grounds[scheme] = driver.execute_script(
                "return getComputedStyle(document.body).backgroundColor"
            )
            for unfolded in (False, True):
                for problem in driver.execute_script(LAYOUT, unfolded):
                    yield f"{where}: {problem}"
            yield from (f"{where}: {problem}" for problem in sorting(driver))
            yield from (f"{where}: {p}" for p in browser.problems_in_logs(page))
    if grounds["light"] == grounds["dark"]:
        yield "light and dark have the same background"
    if screenshots:
        browser.command("Emulation.setEmulatedMedia", {"features": []})
        pdf = browser.command("Page.printToPDF", {"printBackground": True})
        (screenshots / "print.pdf").write_bytes(base64.b64decode(pdf["data"]))
    yield from drawings(browser, index.parent)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("report", type=pathlib.Path, help="folder of a report, or its index.html")
    parser.add_argument("--screenshots", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--chromium", default=shutil.which("chromium"), metavar="PATH")
    parser.add_argument("--chromedriver", default=shutil.which("chromedriver"), metavar="PATH")
    arguments = parser.parse_args()
    index = arguments.report
    if index.is_dir():
        index = index / "index.html"
    if not index.is_file():
        parser.error(f"{index} is not there")
    for name in ("chromium", "chromedriver"):
        if not getattr(arguments, name):
            parser.error(f"{name} is not installed; apt-get install chromium chromium-driver")
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        try:
            browser = Browser(arguments.chromium, arguments.chromedriver, profile)
        except WebDriverException as error:
            print(f"the browser does not start: {error}", file=sys.stderr)
            return 1
        try:
            problems = list(check(browser, index, arguments.screenshots))
        finally:
            browser.driver.quit()
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{index}: {len(problems)} problems", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
