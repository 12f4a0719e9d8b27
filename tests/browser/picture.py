"""The picture in the README: `make picture`. The app, a scenario, its first failing stage."""

import signal
import tempfile

from playwright.sync_api import sync_playwright

from tests.browser.app import CHROMIUM, QUIET, ROOT, free_port, open_page, start_app

PICTURE = ROOT / "docs" / "clinic.png"
PLACE = "/clinic?scenario=two_labels&stage=forward"


def main() -> None:
    port = free_port()
    PICTURE.parent.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        start_app(CLINIC_PORT=str(port), CLINIC_DATA_DIR=data) as server,
        sync_playwright() as playwright,
    ):
        assert server.stdout is not None
        server.stdout.readline()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = open_page(context, f"http://127.0.0.1:{port}{PLACE}")
        page.click("#foot .all")
        page.wait_for_selector(".verdict.fail")
        page.wait_for_selector("#foot .act.go")
        page.click("#right [data-act=open]")
        page.wait_for_selector(".code .row.fault")
        page.evaluate(
            "document.querySelector('.code .row.fault').scrollIntoView({block: 'center'})"
        )
        page.mouse.move(0, 0)
        page.screenshot(path=PICTURE)
        browser.close()
        server.send_signal(signal.SIGTERM)
    print(f"Wrote {PICTURE.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
