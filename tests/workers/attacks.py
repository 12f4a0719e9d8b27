"""What hostile code tries. An attack has succeeded when its last line is done.

`v` holds what it is after: files of others, sockets of the host, processes.
"""

READ = {
    "a file": "open(v.secret).read()",
    "a descriptor": "os.read(os.open(v.secret, os.O_RDONLY), 9)",
    "through a link": "os.symlink(v.secret, 'link'); open('link').read()",
    "through a hard link": "os.link(v.secret, 'hard'); open('hard').read()",
    "through a moved folder": "os.chdir(v.folder); open('secret').read()",
    "through an open folder": "d = os.open(v.folder, os.O_RDONLY); os.open('secret', 0, dir_fd=d)",
    "through the root of a process": "open('/proc/self/root' + v.secret).read()",
    "through the root of the server": "open(f'/proc/{v.server}/root' + v.secret).read()",
    "through its working folder": "os.listdir(f'/proc/{v.server}/cwd')",
    "through C": "f = libc.fopen(v.secret.encode(), b'r'); assert f",
    "as a database": "sqlite3.connect(v.base).execute('select * from a')",
    "as a module": "SourceFileLoader('stolen', v.secret).get_data(v.secret)",
    "as an archive": "zipfile.ZipFile(v.archive).namelist()",
    "by copying": "shutil.copyfile(v.secret, 'copy')",
    "by sending": "os.sendfile(os.open('sent', 66), os.open(v.secret, 0), 0, 9)",
    "by executing": "runpy.run_path(v.secret)",
    "by listing": "os.listdir(v.folder)",
    "by walking": "assert list(os.walk(v.folder))",
    "the token of the hub": "open(v.token).read()",
    "the scratch of another": "open(v.scratch).read()",
    "what another asked": "open(os.path.dirname(os.path.dirname(v.scratch)) + '/request.json')",
    "who runs now": "os.listdir(os.path.dirname(os.path.dirname(os.path.dirname(v.scratch))))",
    "the users": "open('/etc/passwd').read()",
    "the names of hosts": "open('/etc/hosts').read()",
    "the processes": "os.listdir('/proc')",
    "an environment": "open(f'/proc/{v.server}/environ').read()",
    "the environment of the warm process": "open(f'/proc/{os.getppid()}/environ').read()",
    "a command line": "open(f'/proc/{v.server}/cmdline').read()",
    "a memory": "open(f'/proc/{v.server}/mem', 'rb').read(1)",
    "a memory, in one call": "result(libc.process_vm_readv(v.server, None, 0, None, 0, 0))",
    "the maps of a process": "open(f'/proc/{v.server}/maps').read()",
    "the descriptors of a process": "os.listdir(f'/proc/{v.server}/fd')",
    "who is connected": "open('/proc/self/net/tcp').read()",
    "who is connected to a thread": "open(f'/proc/self/task/{os.getpid()}/net/tcp').read()",
    "what is mounted": "open('/proc/self/mountinfo').read()",
    "the shared memory": "os.listdir('/dev/shm')",
    "a disk": "os.listdir('/dev')",
    "the keys": "open('/proc/keys').read()",
    "the kernel's log": "open('/dev/kmsg').read(1)",
}
REACH = {
    "tcp": "socket.create_connection(('127.0.0.1', v.tcp), 1)",
    "tcp 6": "socket.socket(socket.AF_INET6)",
    "udp": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', v.udp))",
    "names": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.53', 53))",
    "raw": "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "netlink": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "vsock": "socket.socket(socket.AF_VSOCK)",
    "unix": "socket.socket(socket.AF_UNIX).connect(v.unix)",
    "unix, datagrams": "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', v.datagrams)",
    "unix, abstract": "socket.socket(socket.AF_UNIX).connect(chr(0) + v.abstract)",
    "unix, through a pair": "socket.socketpair(type=2)[0].sendto(b'x', v.datagrams)",
    "unix, by passing a file": "socket.socketpair()[0].sendmsg([b'x'], [(1, 1, bytes(4))])",
    "a server": "socket.create_server(('127.0.0.1', 0))",
    "http": "urllib.request.urlopen(f'http://127.0.0.1:{v.tcp}/', timeout=1)",
    "http by its parts": "http.client.HTTPConnection('127.0.0.1', v.tcp, timeout=1).connect()",
    "a loop of events": "asyncio.run(asyncio.open_connection('127.0.0.1', v.tcp))",
    "a listener of Python's": "Client(('127.0.0.1', v.tcp))",
    "C": "s = libc.socket(2, 1, 0); result(s)",
    "a call": "result(libc.syscall(seccompy.syscall_nr('socket'), 2, 1, 0))",
    "io_uring": "result(libc.syscall(seccompy.syscall_nr('io_uring_setup'), 8, bytes(200)))",
}
START = {
    "fork": "os.fork() or os._exit(0)",
    "fork with a terminal": "os.forkpty()",
    "vfork": "result(libc.vfork())",
    "clone": "result(libc.syscall(seccompy.syscall_nr('clone'), 17, 0, 0, 0, 0))",
    "clone with a parent": "result(libc.syscall(seccompy.syscall_nr('clone'), 0x8011, 0, 0, 0, 0))",
    "clone3": "result(libc.syscall(seccompy.syscall_nr('clone3'), bytes(88), 88))",
    "a program": "subprocess.run(['true'], check=True)",
    "a shell": "subprocess.run('true', shell=True, check=True)",
    "a shell of C": "assert os.system('true') == 0",
    "a pipe from a program": "assert os.popen('echo x').read()",
    "posix_spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "exec": "os.execv('/bin/true', ['true'])",
    "exec of a descriptor": "os.execve(os.open(sys.executable, os.O_RDONLY), ['x'], {})",
    "exec of memory": "os.memfd_create('x')",
    "exec of its own file": "open('x', 'w').write('#!'); os.chmod('x', 511); os.execv('x', ['x'])",
    "Python again": "subprocess.run([sys.executable, '-c', ''], check=True)",
    "a process of Python's": "multiprocessing.Process(target=print).start()",
    "a pool of Python's": "multiprocessing.Pool(1)",
    "ptrace": "result(libc.ptrace(16, v.server, 0, 0))",
    "writing into a memory": "result(libc.process_vm_writev(v.server, None, 0, None, 0, 0))",
    "a descriptor of a process": "os.pidfd_open(v.server)",
    "a signal to the server": "os.kill(v.server, 0)",
    "a signal to the warm process": "os.kill(os.getppid(), 0)",
    "a signal to all": "os.kill(-1, 0)",
    "a signal to a group": "os.killpg(os.getpgid(v.server), 0)",
    "a signal to a thread": "result(libc.syscall(seccompy.syscall_nr('tkill'), v.server, 0))",
    "a signal with a value": "result(libc.sigqueue(v.server, 0, None))",
    "a signal by a file": "fcntl.fcntl(1, fcntl.F_SETOWN, v.server)",
    "limits of another": "resource.prlimit(v.server, resource.RLIMIT_NOFILE)",
    "limits of its own": "resource.setrlimit(resource.RLIMIT_DATA, (-1, -1))",
    "cores of another": "os.sched_setaffinity(v.server, {0})",
    "politeness of another": "os.setpriority(os.PRIO_PROCESS, v.server, 19)",
    "a namespace": "result(libc.unshare(0x10000000))",
    "a mount": "result(libc.mount(b'x', b'/tmp', b'tmpfs', 0, None))",
    "another root": "os.chroot('.')",
    "another user": "os.setuid(1)",
    "a device": "os.mknod('disk', 0o60600, os.makedev(8, 0))",
    "a key": "result(libc.syscall(seccompy.syscall_nr('keyctl'), 0, -3, 1))",
    "bpf": "result(libc.syscall(seccompy.syscall_nr('bpf'), 0, bytes(64), 64))",
    "counters": "result(libc.syscall(seccompy.syscall_nr('perf_event_open'), bytes(128)))",
    "faults": "result(libc.syscall(seccompy.syscall_nr('userfaultfd'), 1))",
}
STAY = {
    "a file": "open(v.folder + '/new', 'w')",
    "in a file": "open(v.secret, 'a').write('x')",
    "no file": "os.remove(v.secret)",
    "a shorter file": "os.truncate(v.secret, 0)",
    "another name": "os.rename(v.secret, v.secret + '2')",
    "a file of its own instead": "open('x', 'w').close(); os.replace('x', v.secret)",
    "a link": "os.symlink('x', v.folder + '/link')",
    "a folder": "os.mkdir(v.folder + '/new')",
    "a pipe": "os.mkfifo(v.folder + '/pipe')",
    "in the temporary folder": "open('/tmp/left_by_an_attack', 'w')",
    "in shared memory": "open('/dev/shm/left_by_an_attack', 'w')",
    "in shared memory of Python's": "shared_memory.SharedMemory('left', True, 9)",
    "in memory of System V": "result(libc.shmget(7, 4096, 0o1600))",
    "in a queue": "result(libc.msgget(7, 0o1600))",
    "in semaphores": "result(libc.semget(7, 1, 0o1600))",
    "in a named semaphore": "multiprocessing.Semaphore()",
    "in a session": "os.setsid()",
    "in another group": "os.setpgid(0, os.getpgid(v.server))",
    "after the engine": "result(libc.prctl(1, 0, 0, 0, 0))",
    "when memory is short": "open('/proc/self/oom_score_adj', 'w').write('0')",
    "in a home": "open(os.path.join(v.home, '.bashrc'), 'a')",
    "in another scratch": "open(v.scratch, 'a')",
    "in its own request": "open('../request.json', 'a')",
    "in its own console": "os.remove('../console.txt')",
    "beside its console": "open('../new', 'w')",
    "an owner": "os.chown(v.secret, 1, 1)",
    "an attribute": "os.setxattr(v.secret, 'user.x', b'x')",
    "a lock of the engine": "fcntl.flock(open(v.lock), fcntl.LOCK_EX)",
}
POISON = {
    "a site": "open(v.site + '/sitecustomize.py', 'w')",
    "a path": "open(v.site + '/evil.pth', 'w')",
    "the clinic": "open(v.clinic + '/diagnosis.py', 'a')",
    "compiled": "open(v.clinic + '/__pycache__/evil.pyc', 'wb')",
    "a scenario": "open(v.scenarios + '/assets/__init__.py', 'a')",
    "the corpus": "open(v.scenarios + '/assets/corpus/train.tsv', 'a')",
    "the hub's cache": "open(v.hub + '/evil', 'w')",
    "the data sets": "os.makedirs(v.data + '/datasets/evil')",
    "what is prepared": "os.makedirs(v.data + '/prepared/evil')",
    "a library": "os.remove(seccompy.__file__)",
    "another engine": "os.makedirs(v.data + '/runs/evil')",
    "memory of the warm process": "open(f'/proc/{os.getppid()}/mem', 'r+b')",
}
GROUPS = {"read": READ, "reach": REACH, "start": START, "stay": STAY, "poison": POISON}
HARMLESS_EVEN_SO = {"a file of the run's own": "open('own', 'w').write('x'); open('own').read()"}
"""The last one of every batch: it must succeed, or nothing was tried."""

HEAD = """
import asyncio, ctypes, fcntl, http.client, json, multiprocessing, os, resource, runpy, seccompy
import shutil, socket, sqlite3, subprocess, sys, urllib.request, zipfile
from importlib.machinery import SourceFileLoader
from multiprocessing import shared_memory
from multiprocessing.connection import Client
from types import SimpleNamespace
libc = ctypes.CDLL(None, use_errno=True)
libc.fopen.restype = ctypes.c_void_p
def result(answer):
    if answer == -1:
        raise OSError(ctypes.get_errno(), "refused")
v = SimpleNamespace(**json.loads({victims!r}))
tried, done, otherwise, here = {attacks!r}, [], [], os.getcwd()
for name, attack in tried.items():
    os.chdir(here)
    try:
        exec(attack, dict(globals()))
    except Exception as error:
        refused = isinstance(error, OSError) and error.errno in (1, 13, 18, 38)
        otherwise += [] if refused else [f"{{name}}: {{error!r}}"]
        continue
    done.append(name)
say(done=done, otherwise=otherwise)
"""
HELD_OTHERWISE = {
    "read": ["through C", "as a database", "by walking"],
    "reach": ["http"],
    "start": ["a shell of C", "limits of its own"],
}
"""Libraries that were refused, and say so in words of their own."""
NO_RUN_CAN = {
    "a memory",
    "an environment",
    "the environment of the warm process",
    "the maps of a process",
    "through its working folder",
    "through the root of the server",
    "the descriptors of a process",
    "the keys",
    "the kernel's log",
    "http",
    "vsock",
    "io_uring",
    "unix, by passing a file",
}
"""Closed to listed scripts too, nobody answers it, or not every machine has it."""

SPIN = "def spin():\n    while True: pass\n"
FULL = {"out_of_memory", "out_of_time"}
"""On a machine that is busy with other things the clock may come first."""
AT_ONCE = {
    "memory": ("kept = []\nwhile True: kept.append(b'x' * (1 << 24))", FULL),
    "shared memory": (
        "import mmap\nm = mmap.mmap(-1, 2 << 30)\nwhile True: m.write(b'x' * (1 << 24))",
        FULL,
    ),
    "a file": (
        "kept = open('x', 'wb')\nfor _ in range(600): kept.write(bytes(1 << 20))",
        {"clinic_error"},
    ),
    "a file with a hole": ("os.truncate(os.open('x', 66), 1 << 40)", {"clinic_error"}),
    "descriptors": ("while True: os.open('/dev/null', 0)", {"clinic_error"}),
    "pipes": ("while True: os.pipe()", {"clinic_error"}),
    "depth": (
        "import ctypes\nc, d = ctypes.CDLL(None), b'd' * 9\n"
        "for n in range(3000): c.mkdir(d, 511); c.chdir(d)\ntime.sleep(60)",
        {"too_much_on_disk", "out_of_time"},
    ),
    "output": ("while True: print('x' * 10**6)", {"too_much_output", "clinic_error"}),
    "events": ("while True: say(x=1)", {"too_many_events"}),
    "large events": ("while True: say(x='x' * 10**6)", {"too_many_events"}),
    "an event": ("say(x='x' * (50 << 20))", {"forged_events"}),
    "a pickle": (
        "import pickle\nfrom debugger.workers import frames\n"
        "os.write(channel(), frames.pack(frames.EVENT, pickle.dumps(print)))",
        {"forged_events"},
    ),
    "nested": (
        "from debugger.workers import frames\n"
        "os.write(channel(), frames.pack(frames.EVENT, b'[' * 10**5))",
        {"forged_events"},
    ),
    "noise": ("os.write(channel(), os.urandom(10**5))", {"forged_events", "clinic_error"}),
    "no channel": ("os.close(channel())\ntime.sleep(60)", {"forged_events"}),
    "a crash": ("os.abort()", {"process_died"}),
    "an early end": ("os._exit(0)", {"process_died"}),
}
TO_THE_LIMIT = {
    "threads": (
        "import threading\nthreading.stack_size(1 << 15)\n"
        "while True: threading.Thread(target=time.sleep, args=(60,)).start()",
        {"too_many_threads", "out_of_memory", "out_of_time", "clinic_error"},
    ),
    "inodes": (
        "for n in range(10**9): os.mkdir(str(n))",
        {"too_much_on_disk", "out_of_time"},
    ),
    "computing": (SPIN + "spin()", {"out_of_time"}),
    "computing in threads": (
        SPIN + "import threading\nfor _ in range(4): threading.Thread(target=spin).start()\nspin()",
        {"out_of_time"},
    ),
    "sleeping": ("time.sleep(60)", {"out_of_time"}),
    "deaf": (
        "import signal\nfor n in range(1, 65):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"
        "time.sleep(60)",
        {"out_of_time"},
    ),
    "stopped": ("os.kill(os.getpid(), 19)", {"out_of_time"}),
    "in a call": ("import ctypes\nctypes.CDLL(None).pause()", {"out_of_time"}),
    "in a pattern": ("import re\nre.match('(a+)+$', 'a' * 60 + 'b')", {"out_of_time"}),
    "a number": ("x = 7 ** (10 ** 9)", {"out_of_time", "out_of_memory"}),
    "a thread that stays": (
        SPIN + "import threading\nthreading.Thread(target=spin).start()",
        set(),
    ),
    "files": (
        "for n in range(10**9): open(str(n), 'wb').write(bytes(64 << 20))",
        {"too_much_on_disk", "out_of_time"},
    ),
    "deleted files": (
        "kept = []\nfor n in range(10**9):\n"
        "    f = open('x', 'wb'); f.write(bytes(64 << 20)); kept.append(f); os.remove('x')",
        {"too_much_on_disk", "out_of_time"},
    ),
    "the same file": (
        "while True: open('x', 'wb').write(bytes(64 << 20))",
        {"too_much_on_disk", "out_of_time"},
    ),
    "the note of where it is": (
        "for n in range(3, 20):\n"
        "    try: os.write(n, b'File \"script.py\", line 7\\n' * 10**6)\n"
        "    except OSError: pass\n"
        "time.sleep(60)",
        {"out_of_time", "forged_events"},
    ),
}
