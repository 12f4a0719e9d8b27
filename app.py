"""Starts the web app: python app.py."""

import sys


def main() -> int:
    from debugger.web.server import serve

    return serve()


if __name__ == "__main__":
    sys.exit(main())
