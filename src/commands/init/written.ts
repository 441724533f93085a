import { providerRow } from "../../config/providers/providers.ts"
import type { Answers, Caller, Provider } from "./answers.ts"

/** An answer as the file has it. */
interface Described {
  /** Variables that its entry names. */
  readonly variables: ReadonlyArray<string>
  readonly upstream: ReadonlyArray<string>
  readonly models: ReadonlyArray<DescribedModel>
}

type Environment = Readonly<Record<string, string | undefined>>

const isIn = (env: Environment) => (variable: string) => (env[variable] ?? "") !== ""

interface DescribedModel {
  readonly id: string
  readonly upstream: string
  /** As `models` has it. */
  readonly value: string
}

/** The usual sources of a cloud's credentials, for a comment. */
const chains = {
  aws: "environment, shared profile, web identity, container or instance",
  google: "GOOGLE_APPLICATION_CREDENTIALS, gcloud's own, or the metadata server",
  azure: "AZURE_CLIENT_ID with its secret, workload identity or managed identity"
} as const

const server = (name: string, baseUrl: string): Described => ({
  variables: [],
  upstream: [
    `  # Any server of the chat-completions dialect: vLLM, Ollama, llama.cpp, … Add api_key if it needs a key. Its models`,
    `  # have no price, and are free of charge.`,
    `  ${name}: { protocol: openai-chat, base_url: "${baseUrl}", list_models: true, unpriced: allow }`
  ],
  models: []
})

/** @param has true if the variable is set */
const describe = (provider: Provider, has: (variable: string) => boolean): Described => {
  if (provider.kind === "server") return server(provider.name, provider.baseUrl)
  const { name } = provider
  const row = providerRow(provider.row)
  const { auth, example, hasDeployments = false, headers = {}, models = [], places = {}, variable } = row
  const chain = auth === "aws" || auth === "google" || auth === "azure" ? chains[auth] : undefined
  // A cloud's own credentials are usual there; a key is used if there is one.
  const key = variable !== undefined && (auth === "key" || has(variable)) ? variable : undefined
  const settings = [...Object.entries(places), ...(key === undefined ? [] : [["api_key", key] as const])]
  const isText = row.surfaces.some(({ protocol }) => !protocol.endsWith("-video"))
  const isAsked = models.length === 0 && chain === undefined && isText
  const entry = [
    `provider: ${name}`,
    ...settings.map(([setting, named]) => `${setting}: "\${${named}}"`),
    ...Object.entries(headers).map(([header, named]) => `headers: { ${header}: "\${${named}}" }`),
    ...(isAsked ? ["list_models: true"] : []),
    // Software that operators run themselves.
    ...(auth === "none" ? ["unpriced: allow"] : [])
  ]
  return {
    variables: [...settings.map(([, named]) => named), ...Object.values(headers)],
    upstream: [
      ...(chain === undefined || key !== undefined ? [] : [`  # Credentials of ${name}: ${chain}.`]),
      ...(hasDeployments ? [`  # Of models: mine: { routes: [{ upstream: ${name}, model: my-deployment }] }`] : []),
      `  ${name}: { ${entry.join(", ")} }`
    ],
    models:
      models.length > 0 || isAsked
        ? models.map((id) => ({ id, upstream: name, value: name }))
        : hasDeployments
          ? []
          : [{ id: publicId(example), upstream: name, value: `{ routes: [{ upstream: ${name}, model: ${example} }] }` }]
  }
}

/** Bedrock's `us.anthropic.claude-…` is `claude-…` to callers. */
const publicId = (example: string): string => example.replace(/^.*anthropic\./, "")

/** A model of two providers belongs to the first; at the other one it has the provider before its name. */
const named = (models: ReadonlyArray<DescribedModel>): ReadonlyArray<NamedModel> => {
  const taken = new Set<string>()
  return models.map(({ id, upstream, value }) => {
    const name = taken.has(id) ? `${upstream}/${id}` : id
    taken.add(name)
    return { name, value }
  })
}

interface NamedModel {
  readonly name: string
  readonly value: string
}

const modelLines = (models: ReadonlyArray<NamedModel>, unpriced: ReadonlySet<string>): ReadonlyArray<string> => {
  const [priced, others] = [false, true].map((isOther) => models.filter(({ name }) => unpriced.has(name) === isOther))
  return [
    ...(priced === undefined || priced.length === 0
      ? ["# models:"]
      : ["models:", ...priced.map(({ name, value }) => `  ${name}: ${value}`)]),
    ...(others === undefined || others.length === 0
      ? []
      : [
          "  # Not in the built-in list of prices, so that callers with a balance could not use them. Uncomment them with a price",
          "  # of their own, price: { input: 3, output: 15 }, USD a million tokens, or with a fetched list that has them.",
          ...others.map(({ name, value }) => `  # ${name}: ${value}`)
        ])
  ]
}

/** Environment variables that the file names for its providers. */
export const variablesOf = ({ providers }: Answers, env: Environment): ReadonlyArray<string> => [
  ...new Set(providers.flatMap((provider) => describe(provider, isIn(env)).variables))
]

/**
 * A commented `gateway.yaml`.
 *
 * @param unpriced models that are commented out
 */
export const fileOf = (
  { balanceUsd, callers, providers, refreshesPrices }: Answers,
  env: Environment,
  unpriced: ReadonlySet<string>
): string => {
  const described = providers.map((provider) => describe(provider, isIn(env)))
  const models = named(described.flatMap(({ models }) => models))
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
          ...described.flatMap(({ upstream }) => upstream)
        ]),
    "",
    ...(models.length === 0
      ? []
      : [
          "# Models for callers, and their upstreams. Remove those you don't need. `routes` lists several upstreams, tried in",
          "# order: house: { routes: [{ upstream: anthropic, model: claude-haiku-4-5 }, { upstream: openai, model: gpt-5-mini }] }",
          ...modelLines(models, unpriced),
          ""
        ]),
    ...(isMetered
      ? [
          "# Prices are those of the public list (`gateway prices check`). Models without one are refused to metered accounts;",
          "# a price of your own: models: { house: { …, price: { input: 0.15, output: 0.60 } } }, USD a million tokens.",
          "unpriced: refuse",
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
