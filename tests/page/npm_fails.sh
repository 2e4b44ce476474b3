#!/bin/sh
# SPDX-License-Identifier: MIT
#
# npm as it fails where the network's certificate is not known (Debian 13 and sid in a root of their own).
echo 'npm error code SELF_SIGNED_CERT_IN_CHAIN'
echo 'npm error request to https://registry.npmjs.org/uplot failed, reason: self-signed certificate in "chain"' >&2
exit 1
