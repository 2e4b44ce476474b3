/* SPDX-License-Identifier: MIT */
/*
 * Included before all else of the libraries of nodes: what glibc moved between its libraries, or
 * made anew, from 2.29 on is asked for as it was before, so that nodes of Debian 10, RHEL 8 and
 * later load them.  Of arm64 all is of 2.17.
 */
#ifndef CSC_BEAM_OLD_GLIBC_H
#define CSC_BEAM_OLD_GLIBC_H

#include <features.h>

#if defined(__x86_64__) && defined(__GLIBC__)
#define CSC_OLD(name, version) __asm__(".symver " #name "," #name "@GLIBC_" #version)

CSC_OLD(dladdr, 2.2.5);
CSC_OLD(dlclose, 2.2.5);
CSC_OLD(dlerror, 2.2.5);
CSC_OLD(dlopen, 2.2.5);
CSC_OLD(dlsym, 2.2.5);
CSC_OLD(log, 2.2.5);
CSC_OLD(pthread_condattr_setclock, 2.3.3);
CSC_OLD(pthread_create, 2.2.5);
CSC_OLD(pthread_getspecific, 2.2.5);
CSC_OLD(pthread_join, 2.2.5);
CSC_OLD(pthread_mutex_trylock, 2.2.5);
CSC_OLD(pthread_once, 2.2.5);
CSC_OLD(pthread_setname_np, 2.12);
CSC_OLD(pthread_sigmask, 2.2.5);
#endif

#endif
