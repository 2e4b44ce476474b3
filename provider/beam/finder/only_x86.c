/* SPDX-License-Identifier: MIT */
/*
 * Capstone's other architectures, as its own build leaves them out: by functions that refuse.
 *
 * Its archive refers to all of them, and 5 MB of tables would come with the library into every
 * node.
 */
#if defined(__x86_64__) && defined(CSC_HAS_CAPSTONE)

#include "only_x86.h"

#define LEFT_OUT(name)                                                      \
	cs_err name##_global_init(void *handle);                            \
	cs_err name##_global_init(void *handle)                             \
	{                                                                   \
		(void)handle;                                               \
		return CS_ERR_ARCH;                                         \
	}                                                                   \
	cs_err name##_option(void *handle, cs_opt_type type, size_t value); \
	cs_err name##_option(void *handle, cs_opt_type type, size_t value)  \
	{                                                                   \
		(void)handle;                                               \
		(void)type;                                                 \
		(void)value;                                                \
		return CS_ERR_ARCH;                                         \
	}

LEFT_OUT(ARM)
LEFT_OUT(AArch64)
LEFT_OUT(EVM)
LEFT_OUT(M680X)
LEFT_OUT(M68K)
LEFT_OUT(Mips)
LEFT_OUT(PPC)
LEFT_OUT(Sparc)
LEFT_OUT(SystemZ)
LEFT_OUT(TMS320C64x)
LEFT_OUT(XCore)

bool only_x86_open(csh *ret_handle)
{
	if (cs_open(CS_ARCH_X86, CS_MODE_64, ret_handle) != CS_ERR_OK) {
		return false;
	}
	return cs_option(*ret_handle, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK;
}

#endif
