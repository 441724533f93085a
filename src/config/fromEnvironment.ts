import { Effect, Either, Redacted } from "effect"
import { headerRule, isHeaderValue } from "../contract/text/headerValue.ts"
import { BadSettings } from "./document.ts"
import type { Located, DocumentContext } from "./document.ts"
import type { GatewayFile } from "./GatewayFile.ts"
import { wrongBaseUrl } from "./baseUrl.ts"
import { opensAlone } from "./providers/opensAlone.ts"
import { providerRow, rowNames } from "./providers/providers.ts"
import type { ProviderName } from "./providers/providers.ts"
import { secretReader } from "./SecretFiles.ts"
import { secretVariable } from "./secretVariable.ts"

/**
 * The configuration without a file: providers whose keys are in the environment, in the order of the table, with their
 * well-known models or those that they list. A model belongs to the first provider that has it; `provider/model` names
 * each. A server at `OPENAI_BASE_URL` lists its own models.
 */
export const fileOf = Effect.fnUntraced(function* ({
  env,
  needsSecrets = true
}: DocumentContext): Effect.fn.Return<Located<GatewayFile>, BadSettings> {
  const reader = secretReader(".", needsSecrets)
  const wrong: Array<string> = []
  const upstreams: Record<string, Upstream> = {}
  const models: Record<string, string> = {}
  const opened: Array<string> = []
  const add = (name: string, upstream: Upstream, ids: ReadonlyArray<string> | undefined, variable: string) => {
    upstreams[name] = ids === undefined ? { ...upstream, list_models: true } : upstream
    for (const id of ids ?? []) models[id] ??= name
    models[`${name}/*`] = name
    opened.push(`${variable} opens ${name}: ${ids === undefined ? "the models that it lists" : `${ids.length} models`}`)
  }
  const keyOf = Effect.fnUntraced(function* (name: string) {
    const key = yield* Effect.either(secretVariable(env, name, reader))
    if (Either.isLeft(key)) wrong.push(key.left)
    if (Either.isLeft(key) || key.right === undefined) return undefined
    if (!isHeaderValue(key.right)) wrong.push(`${name}: ${headerRule}`)
    return Redacted.make(key.right)
  })

  const baseUrl = env["OPENAI_BASE_URL"] ?? ""
  const wrongUrl = baseUrl === "" ? undefined : wrongBaseUrl(baseUrl)
  if (wrongUrl !== undefined) wrong.push(`OPENAI_BASE_URL: ${wrongUrl}`)
  const isElsewhere = baseUrl !== "" && URL.parse(baseUrl)?.hostname !== "api.openai.com"

  for (const provider of rowNames) {
    const row = providerRow(provider)
    const { models: ids, variable } = row
    if (variable === undefined || !opensAlone(row)) continue
    const key = yield* keyOf(variable)
    const keyed = key === undefined ? {} : { api_key: key }
    if (provider === "openai" && isElsewhere) {
      add(provider, { protocol: "openai-chat", base_url: baseUrl, ...keyed }, undefined, "OPENAI_BASE_URL")
    } else if (key !== undefined) add(nameOf(provider), { provider, ...keyed }, ids, variable)
  }

  const [message] = wrong
  if (message !== undefined) return yield* new BadSettings({ message })
  return {
    value: { upstreams, models },
    opened,
    complain: (_, rule) => new BadSettings({ message: rule }),
    files: reader.files
  }
})

type Upstream = NonNullable<GatewayFile["upstreams"]>[string]

/** Ark keeps the name that it had before there were others of its provider's models. */
const nameOf = (provider: ProviderName): string => (provider === "volcengine" ? "ark" : provider)
