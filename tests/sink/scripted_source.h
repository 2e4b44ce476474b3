/*
 * SPDX-License-Identifier: MIT
 *
 * A Babeltrace source that plays a text script, so that a sink is tested
 * without a tracer.
 *
 * A script is lines; words are separated by blanks, `#` begins a comment line.
 * What a line declares or says it does when the graph comes to it:
 *
 *	trace T                          a trace class and a trace of it
 *	env T KEY 42 | env T KEY "text"  an entry of the trace's environment
 *	uuid T HEX                       32 hex digits
 *	stream S T CONTEXT FLAG...       a stream of its own class; FLAGs:
 *	                                 noclock, packets, losses (it can report lost
 *	                                 events and packets), lossclocks (with times)
 *	name S TEXT                      the stream's name
 *	class C S "NAME" PAYLOAD         an event class
 *	begin S, end S                   stream beginning and end messages
 *	packet S NS, endpacket S NS      packet beginning and end messages
 *	event C NS CONTEXT PAYLOAD       an event message with the values of its fields
 *	discarded-events S NS NS COUNT   from, to, how many; COUNT `-`: not known
 *	discarded-packets S NS NS COUNT
 *	inactivity S NS                  a message of the iterator, by the stream's clock
 *	again                            nothing yet
 *	error "TEXT"                     the source fails
 *
 * The source ends with the script.  CONTEXT and PAYLOAD are types in `stream`
 * and `class`, values in `event`, `-` where there is none:
 *
 *	type   u64 i32 e8 str f32 f64 bool bits8  (e: unsigned enumeration)
 *	       {name:type,...}  [3xtype]  [xtype]  ?type  <type|type>
 *	       (structure, array, array of any length, option, variant)
 *	value  42  -1  "text"  1.5  1  {value,...}  [value,...]  value or -  0:value
 *
 * Blanks are allowed in texts only, and a text has no escapes.
 */
#ifndef CSC_SCRIPTED_SOURCE_H
#define CSC_SCRIPTED_SOURCE_H

#include <babeltrace2/babeltrace.h>

/*
 * Makes the component class; the script, a string that outlives the graph, is
 * the component's initialization data.  A script that cannot be read ends the
 * process with a sentence: it is the test that is wrong.
 */
const bt_component_class_source *scripted_source_create(void);

#endif
