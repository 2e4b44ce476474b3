# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced first by tests that record, as root: runs the script again in a mount namespace where
# LTTng's directory is another one, if that is allowed.  Its session daemon is its own then, and it
# records no other user's programs.
if [ "$(id -u)" = 0 ] && [ -z "${CSC_OWN_MOUNTS:-}" ] && mkdir -p /var/run/lttng &&
	unshare -m --propagation private mount -t tmpfs none /var/run/lttng 2>/dev/null; then
	CSC_OWN_MOUNTS=1 exec unshare -m --propagation private sh -c \
		'mount -t tmpfs none /var/run/lttng && exec "$@"' sh "${BASH:-sh}" "$0" "$@"
fi
