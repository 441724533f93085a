import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { opensAlone } from "../config/providers/opensAlone.ts"
import type { ProviderRow } from "../config/providers/ProviderRow.ts"
import { otherNames, providerNamed, providerRow, rowNames } from "../config/providers/providers.ts"
import { claudePlaces } from "../config/providers/claudePlaces.ts"
import type { ClaudePlace } from "../config/providers/claudePlaces.ts"
import type { ProviderName } from "../config/providers/providers.ts"
import { isPlaced } from "../config/providers/surfaces.ts"
import { closest } from "../config/warnings.ts"
import { NotFound } from "../contract/failures/Failure.ts"
import { help, json, print } from "./options.ts"
import { leaf } from "./frame/leaf.ts"
import { fields, table } from "./table.ts"

const provider = Args.text({ name: "provider" }).pipe(
  Args.withDescription("A provider, to see its addresses and an entry for gateway.yaml."),
  Args.optional
)

const providers = Command.make("providers", { provider, json }, ({ json, provider }) =>
  Effect.gen(function* () {
    if (Option.isNone(provider)) {
      return yield* print(json, rowNames.map(record), () =>
        [
          table(["PROVIDER", "NEEDS", "PROTOCOLS"], rowNames.map(listed), process.stdout.columns ?? usualWidth),
          "",
          "One in full: gateway providers NAME. In gateway.yaml: upstreams.X.provider."
        ].join("\n")
      )
    }
    const name = providerNamed(provider.value)
    if (name === undefined) {
      const near = closest(provider.value, rowNames)
      const meant = near === undefined ? "" : `; is ${near} meant?`
      return yield* new NotFound({ param: "provider", message: `no provider "${provider.value}"${meant}` })
    }
    yield* print(json, record(name), () => inFull(name))
  })
).pipe(
  Command.withDescription(
    help(
      "List the providers and servers that the gateway knows, and what each needs: upstreams.X.provider of gateway.yaml. Needs no network.",
      "gateway providers",
      "gateway providers vertex"
    )
  )
)

export const providersCommand = leaf(providers)

/** Of a terminal, in columns. */
const usualWidth = 80

const listed = (name: ProviderName): ReadonlyArray<string> => {
  const row = providerRow(name)
  return [name, needs(row).join(", ") || "nothing", row.surfaces.map(({ protocol }) => protocol).join(" ")]
}

const settings = ["region", "project", "resource"] as const

/** The settings of an entry that the provider needs. */
const needs = (row: ProviderRow): ReadonlyArray<string> => {
  const key = row.variable === undefined ? "api_key" : `api_key (${row.variable})`
  const credentials = {
    none: [],
    key: [key],
    aws: [`auth: aws or ${key}`],
    google: ["auth: google"],
    azure: [`auth: azure or ${key}`]
  }
  return [
    ...(row.origin === undefined ? ["base_url"] : []),
    ...settings.filter((setting) => isPlaced(row, setting)),
    ...Object.keys(row.headers ?? {}).map((name) => `headers.${name}`),
    ...credentials[row.auth]
  ]
}

/** The betas of Anthropic's API that it takes, null if it takes all but those that it refuses. */
const betasOf = ({ claude }: ProviderRow) => {
  const place: ClaudePlace | undefined = claude && claudePlaces[claude]
  return { taken: place?.takes === undefined ? null : Object.keys(place.takes).toSorted(), refused: place?.drops ?? [] }
}

const record = (name: ProviderName) => {
  const row = providerRow(name)
  return {
    object: "provider",
    name,
    other_names: otherNames(name),
    needs: needs(row),
    variable: row.variable ?? null,
    opens_without_a_file: opensAlone(row),
    surfaces: row.surfaces.map((surface) => ({
      protocol: surface.protocol,
      base_url: addressOf(row, surface),
      models: surface.models ?? null
    })),
    example: row.example,
    prices: row.prices ?? name,
    hang_up: row.hangUp ?? "stops",
    betas_taken: betasOf(row).taken,
    betas_refused: betasOf(row).refused
  }
}

const headersOf = ({ headers }: ProviderRow): ReadonlyArray<string> =>
  headers === undefined
    ? []
    : [
        `headers: { ${Object.entries(headers)
          .map(([name, variable]) => `${name}: "\${${variable}}"`)
          .join(", ")} }`
      ]

const addressOf = (row: ProviderRow, { origin = row.origin, path }: ProviderRow["surfaces"][number]): string | null =>
  origin === undefined ? null : origin + path

const inFull = (name: ProviderName): string => {
  const row = providerRow(name)
  const others = otherNames(name)
  const entry = [
    `provider: ${name}`,
    ...(row.origin === undefined ? ['base_url: "http://…"'] : []),
    ...settings.filter((setting) => isPlaced(row, setting)).map((setting) => `${setting}: …`),
    ...headersOf(row),
    ...(row.auth === "key" ? [`api_key: "\${${row.variable ?? "KEY"}}"`] : [])
  ]
  return [
    fields({
      provider: name,
      "other names": others.join(", ") || null,
      needs: needs(row).join(", ") || "nothing",
      "without a file": opensAlone(row) ? `${row.variable} opens it` : "never opened",
      "a model there": row.example,
      "prices of": row.prices ?? name,
      "a stream that is left": row.hangUp === "runs_on" ? "runs on, and is billed in full" : "stops",
      "betas taken": betasOf(row).taken?.join(", ") ?? null,
      "betas left out": betasOf(row).refused.join(", ") || null
    }),
    "",
    ...row.surfaces.map((surface, index) => {
      const patterns = surface.models ?? []
      const others = index > 0 ? "those whose route says so" : row.surfaces.length === 1 ? "all" : "all others"
      const models = patterns.length === 0 ? others : patterns.join(", ")
      return `${surface.protocol}, models ${models}:\n  ${addressOf(row, surface) ?? "the base_url of the entry"}`
    }),
    "",
    "In gateway.yaml:",
    "",
    "upstreams:",
    `  ${name}: { ${entry.join(", ")} }`
  ].join("\n")
}
