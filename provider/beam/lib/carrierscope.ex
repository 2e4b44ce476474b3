# SPDX-License-Identifier: MIT
defmodule Carrierscope do
  @moduledoc """
  Who holds the memory of this node, and who grows.

      iex> Carrierscope.verdict()
      {:ok, "LEAK: <0.130.0> Shop.Cache gains 1.91 MiB/s ...", %{class: :leak, ...}}
      iex> Carrierscope.table(:fragmentation)

  All of it is module `:carrierscope`, with strings of Elixir; `h(:carrierscope)` says more.  Nothing here needs a C compiler or
  LTTng but `start/1`, `stop/0`, `info/0` and `snapshot/1`, which answer `{:error, sentence}` without them.
  """

  @doc "Hooks the allocators: `start(sample: {:bytes, 65536})`."
  def start(options \\ []), do: text(:carrierscope.start(Map.new(options)))

  @doc "Unhooks."
  def stop, do: text(:carrierscope.stop())

  @doc "What is hooked."
  def info, do: text(:carrierscope.info())

  @doc "Records the node's figures for LTTng: `snapshot(every: 1000)`."
  def snapshot(options \\ [holders: 50])
  def snapshot(:stop), do: text(:carrierscope.snapshot(:stop))
  def snapshot(options), do: text(:carrierscope.snapshot(Map.new(options)))

  @doc "What is wrong with this node, by readings of some seconds: `verdict(seconds: 30)`."
  def verdict(options \\ []), do: text(:carrierscope.verdict(Map.new(options)))

  @doc "The holders of most memory."
  def holders(count \\ 10), do: text(:carrierscope.holders(count))

  @doc "The holders that gained most in so many milliseconds."
  def growth(count \\ 10, ms \\ 1000), do: text(:carrierscope.growth(count, ms))

  @doc "The functions that made most of what is live, while samples are recorded."
  def code(count \\ 10), do: text(:carrierscope.code(count))

  @doc "What is empty in the carriers of each of the `:allocators`, or of their `:instances`."
  def fragmentation(by \\ :allocators), do: text(:carrierscope.fragmentation(by))

  @doc "Writes readings into a file for the program carrierscope: `record(file: \"/tmp/run.csp\", seconds: 60)`."
  def record(options), do: text(:carrierscope.record(Map.new(options)))

  @doc "Tells `:telemetry` what allocators have: for the measurements of a `:telemetry_poller`."
  defdelegate telemetry, to: :carrierscope

  @doc """
  Rows of plain values, with the same keys in each, for iex and `Kino.DataTable.new(Carrierscope.table())`: `:holders`,
  `:growth` of a second, `:code` or `:fragmentation`.
  """
  def table(what \\ :holders)
  def table(:holders), do: rows(holders(50))
  def table(:growth), do: rows(growth(50))
  def table(:code), do: rows(code(50))
  def table(:fragmentation), do: rows(fragmentation())

  defp rows({:error, sentence}), do: raise(sentence)
  defp rows(rows), do: Enum.map(rows, &Map.new(&1, fn {key, value} -> {key, plain(value)} end))

  defp plain(value) when is_number(value) or is_binary(value) or is_atom(value), do: value
  defp plain(value), do: inspect(value)

  # Texts of Erlang are lists of characters.
  defp text({:ok, value}), do: {:ok, text(value)}
  defp text({:ok, sentence, map}), do: {:ok, to_string(sentence), text(map)}
  defp text({:error, sentence}), do: {:error, to_string(sentence)}
  defp text(%{} = map), do: Map.new(map, &named/1)
  defp text([%{} | _] = maps), do: Enum.map(maps, &text/1)

  defp text([_ | _] = list) do
    if List.ascii_printable?(list) or :io_lib.printable_unicode_list(list),
      do: to_string(list),
      else: list
  end

  defp text(other), do: other

  # Without characters it is an empty list, which a name is not.
  defp named({key, []}) when key in [:name, :by_calling, :source_line], do: {key, ""}
  defp named({key, value}), do: {key, text(value)}
end
