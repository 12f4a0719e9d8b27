"""A second lot of hostile code, written by whoever had read the sandbox and what stands behind it.

Run as the first: an attack has succeeded when its last line is done.
"""

INSIDE = {
    "the answers of others": "open(v.data + '/answers.sqlite', 'rb').read(1)",
    "the answers, as a database": "sqlite3.connect(f'file:{v.data}/answers.sqlite?mode=ro',"
    " uri=True).execute('select * from answers')",
    "the log of the answers": "open(v.data + '/answers.sqlite-wal', 'ab')",
    "files that others gave": "os.listdir(v.data + '/files')",
    "a file that another gave": "open(v.data + '/files/' + 'a' * 64, 'rb').read(1)",
    "a link where weights are awaited": "os.symlink(v.secret, 'w'); open('w').read()",
    "its own folder for another": "os.rename('../tmp', '../gone')",
    "a link for its own folder": "os.rmdir('../views'); os.symlink(v.folder, '../views')",
    "the note of where it is": "open('o', 'w').close(); os.replace('o', '../whereabouts.txt')",
    "the clinic's own log": "os.mkfifo('pipe'); os.replace('pipe', '../clinic.log')",
    "a socket in its scratch": "os.mknod('s', 0o140600)",
    "another mode of being": "result(libc.personality(0x0040000))",
    "a poisoned page": "import mmap; m = mmap.mmap(-1, 4096); m.madvise(100)",
    "secret memory": "result(libc.syscall(seccompy.syscall_nr('memfd_secret'), 0))",
    "the keys of the session": "result(libc.syscall(seccompy.syscall_nr('keyctl'), 0, -3, 0))",
    "a lease on a library": "fcntl.fcntl(os.open(seccompy.__file__, 0), 1024, 0)",
    "a watch on a folder": "fcntl.fcntl(os.open('/usr/lib', 0), 1026, 1)",
    "a larger pipe": "fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)",
    "hidden from the server": "result(libc.prctl(4, 0, 0, 0, 0))",
    "who traces it": "result(libc.prctl(0x59616d61, -1, 0, 0, 0))",
    "a child that nobody sees": "result(libc.prctl(36, 1, 0, 0, 0))",
    "a filter of its own": "result(libc.syscall(seccompy.syscall_nr('seccomp'), 1, 0, bytes(16)))",
    "a wall of its own": "result(libc.syscall(444, 0, 0, 1))",
    "calls of another machine": "result(libc.syscall(0x40000000 | 39))",
    "a thread in another network": "result(libc.syscall(56, 0x40010f00, 0, 0, 0, 0))",
    "a name for a file without one": "f = os.open('.', 0o20200001); "
    "os.link(f'/proc/self/fd/{f}', v.folder + '/x')",
    "typing at a terminal": "fcntl.ioctl(0, 0x5412, b'x')",
    "a signal to the group of none": "os.kill(0, 0)",
    "a handle of a file": "f = v.secret.encode(); "
    "result(libc.syscall(303, -100, f, bytes(99), bytes(4), 0))",
}
OTHERWISE = {"the answers, as a database", "calls of another machine", "a poisoned page"}
"""Refused in words of a library, or of the kernel's own."""

ENDED = {
    "beginnings without end": (
        "from debugger.workers import frames\n"
        "while True: os.write(channel(), frames.pack(frames.STARTED) * 1000)",
        {"too_many_events"},
    ),
    "a note that takes long to read": (
        "for n in range(3, 20):\n"
        "    try: os.write(n, b'File \"' * 33_000)\n    except OSError: pass\n"
        "time.sleep(60)",
        {"out_of_time", "forged_events"},
    ),
    "a line of thousands of digits": (
        "for n in range(3, 20):\n"
        "    try: os.ftruncate(n, 0); os.write(n, b'File \"script.py\", line ' + b'9' * 9000)\n"
        "    except OSError: pass\n"
        "os.abort()",
        {"process_died"},
    ),
    "half a frame, then nothing": (
        "os.write(channel(), b'E\\0\\0\\1\\0{')\ntime.sleep(60)",
        {"out_of_time"},
    ),
    "a frame of four gigabytes": (
        "os.write(channel(), b'E\\xff\\xff\\xff\\xff')",
        {"forged_events"},
    ),
    "words from another folder": (
        "from debugger.workers import frames\n"
        'os.write(channel(), frames.pack(frames.EVENT, b\'{"event":"outcome","outcome":"pass",\'\n'
        '  b\'"device":"cpu","seconds":1,"framework":"../../../tmp"}\'))\ntime.sleep(60)',
        {"forged_events"},
    ),
    "an ending that is not its own to tell": (
        "emit(Outcome('stopped', 'cpu', 1.0, finding=Finding('no_such', 'note', 'setup')))\n"
        "time.sleep(60)",
        {"forged_events"},
    ),
    "no standard streams": (
        "for n in range(3): os.close(n)\nos.abort()",
        {"process_died"},
    ),
    "a script that none can read": ("-" * 19_000 + "1", {"out_of_memory"}),
    "memory it never asked for": (
        "from debugger.workers import frames\n"
        "os.write(channel(), frames.pack(frames.OUT_OF_MEMORY))\ntime.sleep(60)",
        {"out_of_memory"},
    ),
    "a page of log that is not the clinic's": (
        "from debugger.workers import frames\n"
        "said = b'x\\n2026-01-01 INFO \\x1b[2Jforged\\r'\n"
        "os.write(channel(), frames.pack(frames.BROKEN, said))\n"
        "time.sleep(60)",
        {"clinic_error"},
    ),
}
