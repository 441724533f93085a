import { Effect, Either, Redacted } from "effect"
import type { Scope } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { defaultDeadlines } from "./client.ts"
import type { Deadlines } from "./client.ts"
import type { PublicUrl } from "../config/PublicUrl.ts"
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

/** The video upstream that an entry describes; undefined where it serves something else. */
export const videoUpstreamOf = (
  name: string,
  entry: UpstreamEntry
): Effect.Effect<VideoUpstream | undefined, never, KeptFiles | PublicUrl | Scope.Scope> => {
  const options = {
    name,
    baseUrl: entry.base_url,
    apiKey: entry.api_key,
    headers: headersOf(entry),
    deadlines: deadlinesOf(entry, videoDeadlines)
  }
  switch (entry.protocol) {
    case "ark-video":
      return Effect.succeed(arkVideo(options))
    case "openai-videos":
      return openaiVideos(options)
    default:
      return Effect.succeed(undefined)
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

export const headersOf = ({ headers = {} }: UpstreamEntry): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)]))

/** @param usual what holds where the entry says nothing */
export const deadlinesOf = (entry: UpstreamEntry, usual: Deadlines = defaultDeadlines): Deadlines => ({
  connectMs: inMs(entry.connect_seconds) ?? usual.connectMs,
  firstByteMs: inMs(entry.first_byte_seconds) ?? usual.firstByteMs,
  idleMs: inMs(entry.idle_seconds) ?? usual.idleMs
})

const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000)
