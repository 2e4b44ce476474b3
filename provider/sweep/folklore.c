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
	/* emqx#1535; Logplex b2d9ffd, after the second case of Larsson's talk. */
	{ "EMQX, Larsson's second case", "+MBas aobf +MBlmbcs 512" },
	/* The first case of that talk: most bytes in single-block carriers. */
	{ "Larsson's first case", "+MBsbct 2048 +MBsmbcs 4096 +MBlmbcs 16384" },
	/* Erlang in Anger, chapter 7, by the author of recon. */
	{ "recon's book, no pool", "+MBacul 0" },
	/* riak_kv#1820 */
	{ "Riak", "+MHsbct 128" },
	/* erlang/otp#9521: smaller carriers without a smaller threshold. */
	{ "smaller carriers alone", "+MBlmbcs 512 +MHlmbcs 512" },
	{ "recon's book, address order", "+MBas aobf" },
	{ "no pool", "+Muacul 0" },
	{ NULL, NULL },
};
