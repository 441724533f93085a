import { Either, Redacted } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { defaultDeadlines } from "./client.ts"
import type { Deadlines } from "./client.ts"
import { isProviderName, providers } from "./protocols/openaiChat/compatible.ts"
import type { ProviderName } from "./protocols/openaiChat/compatible.ts"
import { textUpstream } from "./textUpstream.ts"
import type { TextUpstream } from "./Upstream.ts"

export type UpstreamEntry = NonNullable<GatewayFile["upstreams"]>[string]

/** The text upstream that an entry of `upstreams` describes; undefined where it serves something else. */
export const textUpstreamOf = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry
): Either.Either<TextUpstream | undefined, BadSettings> => {
  const { protocol } = entry
  if (protocol === "ark-video" || protocol === "openai-videos") return Either.right(undefined)
  return Either.map(providerNamed(file, name, entry), (provider) =>
    textUpstream({
      name,
      protocol,
      baseUrl: entry.base_url,
      apiKey: entry.api_key,
      provider,
      headers: headersOf(entry),
      deadlines: deadlinesOf(entry)
    })
  )
}

const providerNamed = (
  file: Located<GatewayFile>,
  name: string,
  { protocol, provider }: UpstreamEntry
): Either.Either<ProviderName | undefined, BadSettings> => {
  const complain = (rule: string) =>
    Either.left(file.complain(["upstreams", name, "provider"], `upstreams.${name}.provider: ${rule}`))
  if (provider === undefined) return Either.right(undefined)
  if (protocol !== "openai-chat") return complain(`only openai-chat has providers; this is ${protocol}`)
  return isProviderName(provider)
    ? Either.right(provider)
    : complain(`expected one of ${Object.keys(providers).join(", ")}; got "${provider}"`)
}

export const headersOf = ({ headers = {} }: UpstreamEntry): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)]))

export const deadlinesOf = (entry: UpstreamEntry): Deadlines => ({
  connectMs: inMs(entry.connect_seconds) ?? defaultDeadlines.connectMs,
  firstByteMs: inMs(entry.first_byte_seconds) ?? defaultDeadlines.firstByteMs,
  idleMs: inMs(entry.idle_seconds) ?? defaultDeadlines.idleMs
})

const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000)
