import { stringify } from "yaml"
import type { JsonObject } from "../contract/fields.ts"
import type { PlannedModels } from "./modelsOf.ts"

/** The text of `gateway.yaml`. */
export const gatewayYaml = ({ models, upstreams }: PlannedModels): string => {
  const sections: ReadonlyArray<readonly [string, ReadonlyMap<string, unknown>]> = [
    ["upstreams", upstreams],
    ["models", new Map([...models].map(([name, entry]) => [name, shortest(name, entry)]))]
  ]
  return [
    "# Written by `gateway import litellm`. All settings: docs/configuration.md. ${NAME} is a variable of the environment.",
    "# `gateway check` validates this file, `gateway check --live` also calls the upstreams.",
    ...sections.flatMap(([name, entries]) =>
      entries.size === 0 ? [] : ["", `${name}:`, ...[...entries].map(([key, entry]) => line(key, entry))]
    ),
    "",
    "# The built-in prices are as old as this version. Fetched every day, they are LiteLLM's list on GitHub.",
    "prices: { refresh_hours: 24 }",
    ""
  ].join("\n")
}

/** An entry on one line, as people write them. */
const line = (name: string, entry: unknown): string => {
  const text = stringify({ [name]: entry }, { lineWidth: 0, collectionStyle: "flow", defaultStringType: "PLAIN" })
  // `{ name: … }` without the braces around it.
  return `  ${text.trim().replace(/^\{ /, "").replace(/ \}$/, "")}`
}

/** `claude: anthropic` in place of a route that says no more. */
const shortest = (name: string, entry: JsonObject): unknown => {
  const { routes, ...rest } = entry
  const [only, ...more]: ReadonlyArray<unknown> = Array.isArray(routes) ? routes : []
  if (Object.keys(rest).length > 0 || more.length > 0 || typeof only !== "object" || only === null) return entry
  const [[first, value] = [], [second, model] = [], ...others] = Object.entries(only)
  const isPlain = first === "upstream" && (second === undefined || (second === "model" && model === name))
  return isPlain && others.length === 0 ? value : entry
}
