/* SPDX-License-Identifier: MIT */
/*
 * Flags that are advised in public, to be tested.  Each with where it is found; none of them is
 * ours.
 */
#include "search.h"

const struct search_folklore search_folklore[] = {
	/* rabbitmq-server#1604, shipped by RabbitMQ since 3.7. */
	{ "RabbitMQ's default",
			"+MBas ageffcbf +MHas ageffcbf +MBlmbcs 512 +MHlmbcs 512 +MMmcs 30" },
	/* emqx#1535 and the lists. */
	{ "EMQX, the lists", "+MBas aobf +MBlmbcs 512" },
	/* riak_kv#1820 */
	{ "Riak", "+MHsbct 128" },
	/* erlang/otp#9521: smaller carriers without a smaller threshold. */
	{ "smaller carriers alone", "+MBlmbcs 512 +MHlmbcs 512" },
	{ "address order, best fit", "+MBas aobf" },
	{ "no pool", "+Muacul 0" },
	{ NULL, NULL },
};
