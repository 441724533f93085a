import { wellKnown } from "../../config/providers/wellKnown.ts"
import type { Answers, Caller, Provider } from "./answers.ts"

interface Described {
  readonly variable: string | undefined
  readonly upstreams: ReadonlyArray<string>
  readonly models: ReadonlyArray<string>
}

const key = (variable: string) => `api_key: "\${${variable}}"`
const all = (ids: ReadonlyArray<string>, upstream: string) => ids.map((id) => `  ${id}: ${upstream}`)

const describe = (provider: Provider): Described => {
  switch (provider.kind) {
    case "anthropic": {
      const variable = "ANTHROPIC_API_KEY"
      return {
        variable,
        upstreams: [
          `  anthropic: { protocol: anthropic-messages, base_url: "https://api.anthropic.com", ${key(variable)} }`
        ],
        models: all(wellKnown.anthropic, "anthropic")
      }
    }
    case "openai": {
      const variable = "OPENAI_API_KEY"
      const place = `base_url: "https://api.openai.com/v1", ${key(variable)}`
      return {
        variable,
        upstreams: [`  openai: { protocol: openai-responses, ${place} }`],
        models: all(wellKnown.openai, "openai")
      }
    }
    case "ark": {
      const variable = "ARK_API_KEY"
      return {
        variable,
        upstreams: [
          `  ark: { protocol: ark-video, base_url: "https://ark.cn-beijing.volces.com/api/v3", ${key(variable)} }`
        ],
        models: all(wellKnown.ark, "ark")
      }
    }
    case "server":
      return {
        variable: undefined,
        upstreams: [
          `  # Any server of the chat-completions dialect: vLLM, Ollama, llama.cpp, … Add api_key if it needs a key.`,
          `  ${provider.name}: { protocol: openai-chat, base_url: "${provider.baseUrl}", list_models: true }`
        ],
        models: []
      }
  }
}

/** Environment variables of the providers' keys. */
export const variablesOf = (providers: ReadonlyArray<Provider>): ReadonlyArray<string> =>
  providers.flatMap((provider) => describe(provider).variable ?? [])

/** A commented `gateway.yaml`. */
export const fileOf = ({ balanceUsd, callers, providers, refreshesPrices }: Answers): string => {
  const described = providers.map(describe)
  const models = described.flatMap(({ models }) => models)
  const isMetered = balanceUsd !== undefined
  return [
    "# Written by `gateway init`. All settings: docs/configuration.md, gateway.example.yaml.",
    "# ${NAME} is a variable of the environment. `gateway check` validates this file, `gateway check --live` also calls the",
    "# upstreams. A running gateway reloads it when it changes.",
    "",
    "server:",
    "  host: 127.0.0.1   # 0.0.0.0: for other machines too",
    "  port: 8080",
    "",
    ...(described.length === 0
      ? ["# Upstreams: none yet. The sandbox, which is free and offline, is always there.", "# upstreams:"]
      : [
          "# Upstreams run the models. The sandbox, which is free and offline, is always there.",
          "upstreams:",
          ...described.flatMap(({ upstreams }) => upstreams)
        ]),
    "",
    ...(models.length === 0
      ? []
      : [
          "# Models for callers, and their upstreams. Remove those you don't need. `routes` lists several upstreams, tried in",
          "# order: house: { routes: [{ upstream: anthropic, model: claude-haiku-4-5 }, { upstream: openai, model: gpt-5-mini }] }",
          "models:",
          ...models,
          ""
        ]),
    ...(isMetered
      ? [
          "# Prices are those of the public list (`gateway prices check`). Models without one are refused to metered accounts;",
          "# a price of your own: models: { house: { …, price: { input: 0.15, output: 0.60 } } }, USD a million tokens.",
          `unpriced: ${providers.some(({ kind }) => kind === "server") ? "allow   # your own server's models have no price" : "refuse"}`,
          ""
        ]
      : []),
    "# The built-in prices are as old as this version. Fetched every day, they are LiteLLM's list on GitHub.",
    refreshesPrices ? "prices: { refresh_hours: 24 }" : "# prices: { refresh_hours: 24 }",
    "",
    ...(callers.length === 0
      ? ["# Keys of callers: make them with `gateway keys create NAME`, or list them here.", "# keys:"]
      : [
          "# Keys of callers, each with its own account.",
          "keys:",
          ...callers.flatMap((one) => keyLines(one, balanceUsd))
        ]),
    ""
  ].join("\n")
}

const keyLines = ({ name, variable }: Caller, balanceUsd: number | undefined): ReadonlyArray<string> => [
  `  - name: "${name}"`,
  `    secret: "\${${variable}}"`,
  ...(balanceUsd === undefined
    ? ["    # balance_usd: 20              # without it, spending is unlimited"]
    : [`    balance_usd: ${balanceUsd}   # granted once; another figure grants the difference`]),
  "    # limits: { requests_per_minute: 60 }"
]
