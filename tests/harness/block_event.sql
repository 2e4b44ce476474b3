-- SPDX-License-Identifier: MIT
--
-- Tests write block_event as if it were a table: what they write is not packed.  Read by the tests of views, and by scripts
-- that make a database worse than the loader does.

CREATE TEMP TRIGGER block_event_insert INSTEAD OF INSERT ON main.block_event
BEGIN
  INSERT INTO packed_block(rowid) VALUES (NEW.id);
  INSERT INTO unpacked_block
  SELECT max(rowid), NEW.ts_ns, NEW.op, NEW.thread_id, NEW.address, NEW.size, NEW.type_id, NEW.allocator_id, NEW.instance,
    NEW.ended_id, NEW.process
  FROM packed_block
  WHERE NEW.id IS NULL OR rowid = NEW.id;
END;

CREATE TEMP TRIGGER block_event_delete INSTEAD OF DELETE ON main.block_event
BEGIN
  DELETE FROM unpacked_block WHERE block_event_id = OLD.id;
  DELETE FROM packed_block WHERE rowid = OLD.id;
END;

CREATE TEMP TRIGGER block_event_update INSTEAD OF UPDATE ON main.block_event
BEGIN
  INSERT OR REPLACE INTO unpacked_block VALUES (NEW.id, NEW.ts_ns, NEW.op, NEW.thread_id, NEW.address, NEW.size, NEW.type_id,
    NEW.allocator_id, NEW.instance, NEW.ended_id, NEW.process);
  UPDATE packed_block SET word = NULL, place = NULL WHERE rowid = NEW.id;
END;
