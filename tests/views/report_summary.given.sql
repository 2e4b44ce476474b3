-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, path, first_ts_ns, last_ts_ns, events, lost_events,
  first_carrier_event_id, last_carrier_event_id) VALUES
  (1, '/traces/run', 1600000000000000001, 1600000002500000001, 12, 3, 1, 10);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO load_problem VALUES (1, 1, 'events_lost', 'data_loss', 1, 'the tracer lost events');
