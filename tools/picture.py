"""The picture in the README: `make picture`. The app, a scenario, its first failing stage."""

from playwright.sync_api import sync_playwright

from tests.browser.app import CHROMIUM, QUIET, ROOT, open_page, running_app

PICTURE = ROOT / "docs" / "clinic.png"
PLACE = "/clinic?scenario=two_labels&stage=forward"


def main() -> None:
    PICTURE.parent.mkdir(exist_ok=True)
    with running_app() as (address, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = open_page(context, f"{address}{PLACE}")
        page.click("#foot .all")
        page.wait_for_selector("#rail .fail")
        page.click("#right .skip")
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
    print(f"Wrote {PICTURE.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
