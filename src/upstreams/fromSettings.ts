import { Effect, Either, Redacted } from "effect"
import type { Scope } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import type { PublicUrl } from "../config/PublicUrl.ts"
import { defaultDeadlines } from "./client.ts"
import type { Deadlines } from "./client.ts"
import type { KeptFiles } from "./KeptFiles.ts"
import { arkVideo } from "./protocols/arkVideo.ts"
import { isProviderName, providers } from "./protocols/openaiChat/compatible.ts"
import type { ProviderName } from "./protocols/openaiChat/compatible.ts"
import { openaiVideos } from "./protocols/openaiVideos.ts"
import { textUpstream } from "./textUpstream.ts"
import type { TextUpstream } from "./Upstream.ts"
import { videoDeadlines } from "./videoApi.ts"
import type { VideoUpstream } from "./VideoUpstream.ts"

export type UpstreamEntry = NonNullable<GatewayFile["upstreams"]>[string]

/** What an entry of `upstreams` describes: a place of text models or one of video models. */
export type Place =
  | { readonly kind: "text"; readonly upstream: TextUpstream }
  | {
      readonly kind: "video"
      readonly upstream: Effect.Effect<VideoUpstream, never, KeptFiles | PublicUrl | Scope.Scope>
    }

/** Fails with what is wrong about an entry that its schema can't know. */
export const placeOf = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry
): Either.Either<Place, BadSettings> => {
  const { api_key: apiKey, base_url: baseUrl, protocol } = entry
  const headers = headersOf(entry)
  switch (protocol) {
    case "anthropic-messages":
    case "openai-responses":
    case "openai-chat":
      return Either.map(providerNamed(file, name, entry), (provider) => {
        const deadlines = deadlinesOf(entry, defaultDeadlines)
        return {
          kind: "text",
          upstream: textUpstream({ name, protocol, baseUrl, apiKey, provider, headers, deadlines })
        }
      })
    case "ark-video":
    case "openai-videos":
      return Either.map(withoutTextOptions(file, name, entry), () => {
        const options = { name, baseUrl, apiKey, headers, deadlines: deadlinesOf(entry, videoDeadlines) }
        const upstream = protocol === "ark-video" ? Effect.sync(() => arkVideo(options)) : openaiVideos(options)
        return { kind: "video", upstream }
      })
  }
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

const textOptions = ["provider", "list_models", "max_concurrency", "queue_seconds"] as const

/** Videos wait for room as tasks, and their upstreams list models of every kind. */
const withoutTextOptions = (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry
): Either.Either<void, BadSettings> => {
  const option = textOptions.find((option) => entry[option] !== undefined)
  return option === undefined
    ? Either.void
    : Either.left(
        file.complain(["upstreams", name, option], `upstreams.${name}.${option}: is for upstreams of text models alone`)
      )
}

export const headersOf = ({ headers = {} }: UpstreamEntry): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)]))

const deadlinesOf = (entry: UpstreamEntry, usual: Deadlines): Deadlines => ({
  connectMs: inMs(entry.connect_seconds) ?? usual.connectMs,
  firstByteMs: inMs(entry.first_byte_seconds) ?? usual.firstByteMs,
  idleMs: inMs(entry.idle_seconds) ?? usual.idleMs
})

const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000)
