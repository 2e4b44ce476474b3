/*
 * SPDX-License-Identifier: MIT
 *
 * The page as it was bundled when the program was built.
 */
#ifndef CSC_PAGE_ASSET_H
#define CSC_PAGE_ASSET_H

/* HTML with marks <!--@name--> for figures; empty when it was built without node. */
extern const char page_asset[];

/* Why it is empty: a sentence; empty when it is not. */
extern const char page_missing[];

#endif
