-- as: holder
-- SPDX-License-Identifier: MIT
-- One of the processes belongs to an application.  What is not known holds nothing that could be drawn.
UPDATE process_name SET application = 'store' WHERE pid = '<0.1.0>';
