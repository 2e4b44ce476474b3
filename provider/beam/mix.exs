# SPDX-License-Identifier: MIT
# This folder as a dependency of mix: {:carrierscope, path: ".../provider/beam"}.  The libraries are built by
# cmake from the sources around it, without network.
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
      aliases: ["compile.all": [&build_libraries/1, "compile.all"]]
    ]
  end

  def application do
    Keyword.take(@keys, [:registered, :mod, :env]) ++
      [extra_applications: @keys[:applications] -- [:kernel, :stdlib]]
  end

  defp build_libraries(_arguments) do
    {_, 0} = System.cmd("sh", ["./build-libraries.sh"], into: IO.stream(:stdio, :line))
  end
end
