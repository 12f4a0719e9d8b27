"""What attacks import, loaded ahead: they have few seconds."""

# ruff: noqa: F401
import asyncio
import http.client
import multiprocessing.pool
import multiprocessing.shared_memory
import runpy
import shutil
import sqlite3
import urllib.request
import zipfile
