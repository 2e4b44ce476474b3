#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# release_test.sh CARRIERSCOPE: readings of releases of mix and of rebar3 (relx), which run in embedded mode and have nothing of
# ours: by their own programs, by one in front of them that enters namespaces, and by TLS.
. "$(dirname "$0")/../harness/main.sh"
tests_program "$1"
needs sqlite3 erl
names_nodes
daemon=
cleanup() {
  [[ -z $daemon ]] || kill -9 "$daemon" 2>/dev/null
  [[ -z $node_pid ]] || kill -9 "$node_pid" 2>/dev/null
  ends_node
}
cd "$work" || exit 1
export MIX_HOME=$work/mix HEX_OFFLINE=1 MIX_ENV=prod LANG=C.UTF-8

# reads NAME ARGUMENT...: the verdict names the process, in so many seconds of the command at most, again where a busy machine hides
# the growth.
reads() {
  local name=$1 times begin
  shift
  for times in 5 10 20 40 80; do
    begin=$SECONDS
    timeout 400 "$program" record -f -o "$work/$name.db" "$@" --seconds $times >out 2>err </dev/null || fail "$name is not read: $(cat err)"
    echo "$name: $times s of readings, $((SECONDS - begin)) s"
    ! grep -q '^LEAK: <[0-9.]*> holder .*gains' out || break
  done
  grep -q '^LEAK: <[0-9.]*> holder .*gains' out || fail "$name: $(head -n 4 out) $(cat err)"
  [[ $(sqlite3 "$name.db" 'SELECT count(*) FROM load_problem') == 0 ]] || fail "$name: load problems"
}

if command -v mix >/dev/null; then
  mkdir -p app/lib
  cat >app/mix.exs <<'END'
defmodule App.MixProject do
  use Mix.Project
  def project, do: [app: :app, version: "1.0.0", deps: [], releases: [app: [include_executables_for: [:unix]]]]
  def application, do: [extra_applications: [:logger], mod: {App, []}]
end
END
  cat >app/lib/app.ex <<'END'
defmodule App do
  use Application
  def start(_, _) do
    {:ok, spawn_link(fn -> Process.register(self(), :holder); hold([]) end)}
  end
  defp hold(kept) do
    Process.sleep(10)
    hold([:binary.copy("a", 20000) | kept])
  end
end
END
  (cd app && timeout 400 mix release --quiet) >mix.log 2>&1 || fail "no release of mix: $(cat mix.log)"
  app=$work/app/_build/prod/rel/app/bin/app
  export RELEASE_NODE=app$$ RELEASE_DISTRIBUTION=sname
  "$app" start >app.log 2>&1 &
  daemon=$!
  has_app() { "$app" rpc ':ok = if Process.whereis(:holder), do: :ok' >/dev/null 2>&1; }
  waits has_app || fail "the release does not start: $(cat app.log)"
  reads mix --via "$app rpc" --readings
  # `eval` of mix is a node of its own.
  timeout 400 "$program" record -o own.db --via "$app eval" --readings --seconds 1 >out 2>err </dev/null && fail 'eval of mix is read'
  grep -q "starts a node of its own, as 'bin/APP eval' of a mix release does; name one that asks the running node" err || fail "eval of mix: $(cat err)"
  # As kubectl has it: what stands behind -- runs elsewhere, in namespaces of its own.
  cat >kubectl <<END
#!/bin/sh
[ "\$1 \$2 \$3" = 'exec pod --' ] || exit 9
shift 3
exec unshare --mount --ipc --uts "\$@"
END
  chmod +x kubectl
  if ./kubectl exec pod -- true 2>/dev/null; then
    reads kubectl --via "./kubectl exec pod -- $app rpc" --readings
  else
    echo 'PARTLY SKIPPED: kubectl exec (no namespaces can be made)'
  fi
  timeout 400 "$app" stop >/dev/null 2>&1
  waits eval '! kill -0 "$daemon" 2>/dev/null' || fail 'the release does not end'
  wait "$daemon" 2>/dev/null
  daemon=
  unset RELEASE_NODE RELEASE_DISTRIBUTION
else
  echo 'PARTLY SKIPPED: a release of mix (not installed)'
fi

if command -v rebar3 >/dev/null; then
  mkdir -p relx/src relx/config
  cat >relx/rebar.config <<END
{relx, [{release, {shop, "1.0.0"}, [shop, sasl]}, {mode, prod}, {include_erts, false}, {extended_start_script, true},
        {vm_args, "config/vm.args"}]}.
END
  echo "-sname shop$$
-setcookie shop$$" >relx/config/vm.args
  echo '{application, shop, [{vsn, "1.0.0"}, {applications, [kernel, stdlib]}, {mod, {shop, []}}, {modules, []}, {registered, []}]}.' >relx/src/shop.app.src
  cat >relx/src/shop.erl <<'END'
-module(shop).
-behaviour(application).
-export([start/2, stop/1]).
start(_, _) -> {ok, spawn_link(fun() -> register(holder, self()), hold([]) end)}.
stop(_) -> ok.
hold(Kept) -> receive after 10 -> hold([binary:copy(<<"a">>, 20000) | Kept]) end.
END
  (cd relx && timeout 400 rebar3 release) >rebar3.log 2>&1 || fail "no release of rebar3: $(tail -n 5 rebar3.log)"
  shop=$work/relx/_build/default/rel/shop/bin/shop
  "$shop" foreground >shop.log 2>&1 &
  daemon=$!
  has_shop() { [[ $("$shop" eval 'is_pid(whereis(holder)).' 2>/dev/null) == true ]]; }
  if [[ -x $shop ]] && waits has_shop; then
    # Its eval shows values alone.
    timeout 400 "$program" record -o values.db --via "$shop eval" --readings --seconds 1 >out 2>err </dev/null && fail 'eval of relx is read'
    grep -q "shows values alone, .*; read it by its name: carrierscope record NAME --readings" err || fail "eval of relx: $(cat err)"
    ! grep -q csp shop.log || fail 'readings are in the log of the node'
    echo "shop$$" >shop.cookie
    chmod 400 shop.cookie
    reads relx "shop$$" --readings --cookie-file shop.cookie
    timeout 400 "$shop" stop >/dev/null 2>&1
  else
    fail "the release of rebar3 does not answer: $(cat shop.log) $("$shop" eval 'ok.' 2>&1 | head -n 3)"
  fi
  waits eval '! kill -0 "$daemon" 2>/dev/null' || fail 'the release of rebar3 does not end'
  wait "$daemon" 2>/dev/null
  daemon=
else
  echo 'PARTLY SKIPPED: a release of rebar3 (not installed)'
fi

if command -v openssl >/dev/null && erl -noinput -eval 'halt(case code:lib_dir(ssl) of {error, _} -> 1; _ -> 0 end).'; then
  openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj "/CN=$(hostname -s)" >openssl.log 2>&1 || fail "$(cat openssl.log)"
  echo "[{server, [{certfile, \"$work/cert.pem\"}, {keyfile, \"$work/key.pem\"}, {verify, verify_none}]}, {client, [{verify, verify_none}]}]." >tls.conf
  # A node of its own, by epmd of the test.
  starts_node 'register(keeper, self()), receive stop -> ok end.'
  erl -noinput -sname "tls$$" -proto_dist inet_tls -ssl_dist_optfile "$work/tls.conf" -eval '
    spawn(fun() -> register(holder, self()), (fun F(L) -> receive after 10 -> F([binary:copy(<<"a">>, 20000) | L]) end end)([]) end).' >tls.log 2>&1 &
  daemon=$!
  has_tls() { erl -noinput -eval 'halt(case net_adm:names() of {ok, Names} -> length([N || {N, _} <- Names, N =:= "tls'$$'"]); _ -> 0 end).'; [[ $? -eq 1 ]]; }
  waits has_tls || fail "no node with TLS: $(cat tls.log)"
  reads tls "tls$$" --readings --erl-args "-proto_dist inet_tls -ssl_dist_optfile $work/tls.conf"
  timeout 400 "$program" record -o plain.db "tls$$" --readings --seconds 1 >out 2>err </dev/null && fail 'TLS is read without'
  grep -q 'or it wants TLS (--erl-args)' err || fail "without TLS: $(cat err)"
else
  echo 'PARTLY SKIPPED: TLS (no openssl, or no ssl of Erlang)'
fi
ends
