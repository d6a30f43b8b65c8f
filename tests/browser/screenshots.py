"""Refreshes the two screenshots of the README: python -m tests.browser.screenshots"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import executable, signed_in
from tests.browser.site import start_site, stop_site
from trace_pipeline.local.stack import ROOT

IMAGES = ROOT / "docs" / "images"
_MOST_BYTES = 300_000


def main() -> None:
    """Start a site, look at two pages, stop it."""
    folder = Path(tempfile.mkdtemp(prefix="trace-screenshots-"))
    folder.chmod(0o755)
    IMAGES.mkdir(parents=True, exist_ok=True)
    try:
        site = start_site(folder)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
            context = signed_in(browser, site, viewport={"width": 1200, "height": 860})
            page = context.new_page()
            # A log in English, of the tenant that the planted release hurt.
            page.goto(f"{site.pages}/logs?nights=7&dimension=language&value=en")
            log = page.locator("main a[href*='/log?']").nth(1).get_attribute("href")
            for name, address in (("overview", f"{site.pages}/"), ("log", f"{site.url}{log}")):
                page.goto(address)
                page.wait_for_load_state("networkidle")
                path = IMAGES / f"{name}.png"
                page.screenshot(path=path)
                if path.stat().st_size > _MOST_BYTES:
                    raise SystemExit(f"{path.name} is larger than {_MOST_BYTES} bytes.")
            browser.close()
    finally:
        stop_site(folder)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
