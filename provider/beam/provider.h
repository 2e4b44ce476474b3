/* SPDX-License-Identifier: MIT */
/*
 * The provider of a library, CSC_PROVIDER, which comes and goes with the module that uses it: two
 * libraries that offered it at once would emit every event twice.
 */
#ifndef CSC_BEAM_PROVIDER_H
#define CSC_BEAM_PROVIDER_H

/* Offers the events to LTTng; nothing if they are offered. */
void provider_open(void);

/* Takes them back; what is emitted from now on goes nowhere. */
void provider_close(void);

#endif
