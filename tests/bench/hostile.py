#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes one hostile database with what lies beside it:

	hostile.py GOOD.db FOLDER SEED CANARIES

GOOD.db is a sound one, FOLDER gets x.db, CANARIES is a folder whose files must stay as they are; FOLDER
lies on the same file system.  The kind is printed.  The same seed makes the same files."""
import os
import random
import shutil
import sqlite3
import struct
import sys

good, folder, seed, canaries = sys.argv[1:5]
chance = random.Random(int(seed))
path = os.path.join(folder, "x.db")
canary = os.path.join(canaries, chance.choice(sorted(os.listdir(canaries))))
MAGIC = bytes.fromhex("d9d505f920a163d7")


def journal_of(database, super_name=b"", pages=1):
    """A hot journal that puts back the first pages, with a super-journal's name."""
    with open(database, "rb") as file:
        header = file.read(100)
        page_bytes = struct.unpack(">H", header[16:18])[0]
        page_bytes = 65536 if page_bytes == 1 else page_bytes
        file.seek(0, 2)
        count = file.tell() // page_bytes
        file.seek(0)
        body = [file.read(page_bytes) for _ in range(pages)]
    nonce = chance.getrandbits(32)
    text = MAGIC + struct.pack(">IIIII", pages, nonce, count, 512, page_bytes)
    text = text.ljust(512, b"\0")
    for number, page in enumerate(body, 1):
        total = nonce
        at = page_bytes - 200
        while at > 0:
            total = (total + page[at]) & 0xFFFFFFFF
            at -= 200
        text += struct.pack(">I", number) + page + struct.pack(">I", total)
    if super_name:
        lock_page = 0x40000000 // page_bytes + 1
        text += struct.pack(">I", lock_page) + super_name
        text += struct.pack(">II", len(super_name), sum(b - 256 if b > 127 else b for b in super_name) & 0xFFFFFFFF)
        text += MAGIC
    return text


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)


def edit(*statements):
    database = sqlite3.connect(path)
    database.execute("PRAGMA writable_schema = ON")
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def replace_view(name, body):
    edit("UPDATE sqlite_schema SET sql = 'CREATE VIEW %s AS %s' WHERE name = '%s'" % (name, body.replace("'", "''"), name))


def columns_of(name):
    database = sqlite3.connect(path)
    found = [row[1] for row in database.execute("PRAGMA table_xinfo(%s)" % name)]
    database.close()
    return found


def views():
    database = sqlite3.connect(path)
    found = [row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name")]
    database.close()
    return found


def mutate(name, most=40):
    with open(name, "r+b") as file:
        size = os.fstat(file.fileno()).st_size
        for _ in range(chance.randint(1, most)):
            file.seek(chance.randrange(size))
            file.write(bytes([chance.getrandbits(8)]))


def wal_of(statements):
    """A database whose writer was killed: its log stays."""
    child = os.fork()
    if child == 0:
        database = sqlite3.connect(path, isolation_level=None)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_autocheckpoint = 0")
        for statement in statements:
            database.execute(statement)
        os._exit(0)
    os.waitpid(child, 0)


def endless():
    columns = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
    name = chance.choice(["verdict", "finding", "figure_text", "report_allocators", "runtime_text", *chance.sample(views(), 6)])
    if name not in views():
        name = chance.choice(views())
    names = columns_of(name) or ["a"]
    body = columns + ", ".join('i AS "%s"' % column for column in names) + " FROM n"
    if chance.random() < 0.5:
        body += " WHERE i < 0"
    replace_view(name, body)


def doubling():
    name = chance.choice([v for v in ("verdict", "finding", "report_allocators") if v in views()] or views())
    names = columns_of(name)
    depth = chance.randint(14, 40)
    edit("CREATE VIEW bomb0 AS SELECT 1 AS i",
         *["CREATE VIEW bomb%d AS SELECT a.i FROM (SELECT i FROM bomb%d LIMIT 9) AS a, (SELECT i FROM bomb%d LIMIT 9) AS b" % (n, n - 1, n - 1)
           for n in range(1, depth)])
    replace_view(name, "SELECT " + ", ".join('i AS "%s"' % column for column in names) + " FROM bomb%d" % (depth - 1))


def costly():
    name = chance.choice([v for v in ("verdict", "finding", "report_allocators", "source") if v in views()] or views())
    names = columns_of(name)
    value = chance.choice(["length(hex(zeroblob(30000000)))", "length(replace(hex(zeroblob(9000000)), '0', 'xxxx'))",
                           "printf('%.*c', 60000000, 'x')", "hex(zeroblob(4000000)) LIKE '%0%0%0%0%0%1%0%0%1%'"])
    replace_view(name, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT " +
                 ", ".join('%s AS "%s"' % (value, column) for column in names) + " FROM n")


def trigger():
    edit("CREATE TRIGGER t AFTER INSERT ON sweep_result BEGIN DELETE FROM source; END")


def tables():
    for _ in range(chance.randint(1, 6)):
        database = sqlite3.connect(path)
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
        name = chance.choice(names)
        column = chance.choice([row[1] for row in database.execute("PRAGMA table_info(%s)" % name)])
        database.execute("PRAGMA ignore_check_constraints = ON")
        value = chance.choice(["9223372036854775807", "-1", "NULL", "0"])
        try:
            database.execute('UPDATE OR IGNORE %s SET "%s" = %s' % (name, column, value))
            database.commit()
        except sqlite3.Error:
            pass
        database.close()


def beside(suffix):
    name = path + suffix
    how = chance.choice(["link", "dangling", "fifo", "hard", "folder", "bytes", "empty"])
    if how == "link":
        os.symlink(canary, name)
    elif how == "dangling":
        os.symlink(os.path.join(canaries, "new"), name)
    elif how == "fifo":
        os.mkfifo(name)
    elif how == "hard":
        os.link(canary, name)
    elif how == "folder":
        os.mkdir(name)
    elif how == "bytes":
        write(name, bytes(chance.getrandbits(8) for _ in range(chance.randint(1, 5000))))
    else:
        write(name, b"")
    return how


shutil.copyfile(good, path)
os.chmod(path, 0o600)
kind = chance.choice(["super", "super", "hot", "wal", "wal-bytes", "wal-alone", "beside", "beside", "endless", "endless",
                      "doubling", "costly", "mutated", "mutated", "tables", "trigger", "leftover"])
if kind == "super":
    write(path + "-journal", journal_of(path, canary.encode(), chance.randint(1, 3)))
elif kind == "hot":
    write(path + "-journal", journal_of(path, b"", chance.randint(1, 3)))
    if chance.random() < 0.5:
        mutate(path + "-journal")
elif kind in ("wal", "wal-bytes", "wal-alone"):
    wal_of(["UPDATE source SET complete = 0", "CREATE TABLE more(a)"])
    if kind == "wal-bytes":
        mutate(path + "-wal")
        mutate(path + "-shm")
    if kind == "wal-alone":
        os.unlink(path + "-shm")
elif kind == "beside":
    if chance.random() < 0.5:
        edit("PRAGMA user_version")
        database = sqlite3.connect(path)
        database.execute("PRAGMA journal_mode = WAL")
        database.close()
    kind += ":" + beside(chance.choice(["-journal", "-wal", "-shm"]))
elif kind == "endless":
    endless()
elif kind == "doubling":
    doubling()
elif kind == "costly":
    costly()
elif kind == "mutated":
    mutate(path)
elif kind == "tables":
    tables()
elif kind == "trigger":
    trigger()
    write(path + "-journal", journal_of(path, canary.encode()))
else:
    # Names as those of dead loads, over what is somebody else's.
    dead = 4194304 - chance.randint(1, 50)
    os.symlink(canary, "%s.partial-%d" % (path, dead))
    os.link(canary, "%s.partial-%d" % (path, dead - 60))
    os.symlink(canaries, "%s.salvage-%d" % (path, dead))
    os.mkdir("%s.salvage-%d" % (path, dead - 60))
    write("%s.salvage-%d/kept" % (path, dead - 60), b"kept\n")
    write("%s.partial-%d" % (path, dead - 120), b"not one of carrierscope's\n" * 20)
print(kind)
