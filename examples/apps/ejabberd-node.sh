# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced after examples/apps/parts.sh: an ejabberd of Debian's packages, unpacked into a folder of its own, with its own
# ports, cookie and data, without epmd.  It keeps a client's session for five minutes.
#
#   has_ejabberd             sets $port, on which clients are served
#   starts_ejabberd [FLAGS]  of the emulator; returns when it has booted; sets $asks_by, $work/asks: what evaluates on the node
#   ejabberdctl COMMAND...   Debian's script
#   stops_ejabberd

has_ejabberd() {
  unpacks ejabberd
  has_own_home
  port=$(free_port)
  export ERL_EPMD_ADDRESS=127.0.0.1 ERL_DIST_PORT=$((port + 1))
  cat >"$work/ejabberd.yml" <<END
hosts: [localhost]
loglevel: warning
listen:
  - {port: $port, ip: 127.0.0.1, module: ejabberd_c2s}
auth_method: [anonymous]
anonymous_protocol: sasl_anon
modules:
  mod_stream_mgmt: {resume_timeout: 300}
END
  cp "$root/etc/ejabberd/inetrc" "$work"
  # Debian's script is for its own user and places.
  sed -e 's/^INSTALLUSER=.*/INSTALLUSER=/' -e "s|\"/usr/bin/|\"$root/usr/bin/|" \
    -e "s|^ERL_LIBS='/|ERL_LIBS='$root/|" "$root/usr/sbin/ejabberdctl" >"$work/ejabberdctl"
  script=(bash "$work/ejabberdctl" --config-dir "$work" --spool "$work/data" --logs "$work/log")
}

# But for its warning that root runs it.
ejabberdctl() {
  "${script[@]}" "$@" 2> >(grep -v 'not recommended to run ejabberd as root' >&2)
}

starts_ejabberd() {
  echo "ERL_OPTIONS='-kernel inet_dist_use_interface {127,0,0,1} ${1-}'" >"$work/ejabberdctl.cfg"
  starts "${script[@]}" foreground
  ejabberdctl started || { tail -n 20 "$work/node.log" >&2; echo "ejabberd does not start" >&2; exit 1; }
  has_started
  # What erl_call asks has to be in its standard input.
  cat >"$work/asks" <<END
#!/bin/sh
echo "\$1" | erl_call -c "$(cat "$HOME/.erlang.cookie")" -address "localhost:$ERL_DIST_PORT" -e
END
  chmod +x "$work/asks"
  asks_by=$work/asks
}

stops_ejabberd() {
  ejabberdctl stop
  has_stopped
}
