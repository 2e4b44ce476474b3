# SPDX-License-Identifier: MIT
# This folder as a dependency of mix: {:carrierscope, path: ".../provider/beam"}, or a package.  Libraries are built by
# cmake from the sources around it, without network, where that is possible; without them a node is read, but not hooked.
defmodule Carrierscope.MixProject do
  use Mix.Project

  # Name, version and the rest are those of the application's description.
  @source Path.join(__DIR__, "src/carrierscope.app.src")
  @external_resource @source
  {:ok, [{:application, :carrierscope, keys}]} = :file.consult(@source)
  @keys keys

  def project do
    [
      app: :carrierscope,
      version: to_string(@keys[:vsn]),
      description: to_string(@keys[:description]),
      language: :erlang,
      erlc_paths: ["."],
      erlc_options: [:debug_info],
      deps: [],
      package: package(),
      aliases: ["compile.all": [&build_libraries/1, "compile.all", &document/1]]
    ]
  end

  def application do
    Keyword.take(@keys, [:registered, :mod, :env]) ++
      [extra_applications: @keys[:applications] -- [:kernel, :stdlib]]
  end

  defp package do
    [
      licenses: Enum.map(@keys[:licenses], &to_string/1),
      links: Map.new(@keys[:links]),
      build_tools: ["mix", "rebar3"],
      files: Enum.map(@keys[:files], &to_string/1)
    ]
  end

  defp build_libraries(_arguments) do
    {_, 0} = System.cmd("sh", ["./build-libraries.sh"], into: IO.stream(:stdio, :line))
  end

  # What h(:carrierscope) shows.
  defp document(_arguments) do
    beam = Path.join(Mix.Project.compile_path(), "carrierscope.beam")
    {_, 0} = System.cmd("escript", ["./docs.escript", "carrierscope.erl", beam])
  end
end
