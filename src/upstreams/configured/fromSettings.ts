import { Effect, Redacted } from "effect"
import { runsOn, runsServers } from "../../config/providers/surfaces.ts"
import type { SurfaceEntry } from "../../config/providers/surfaces.ts"
import { providerOfEntry, providerRow } from "../../config/providers/providers.ts"
import { proxyIn } from "../../config/proxies.ts"
import { Documents } from "../../documents/Documents.ts"
import { AddressGuard } from "../../guard/AddressGuard.ts"
import type { Auth } from "../../credentials/Auth.ts"
import type { Served } from "../../contract/records/Served.ts"
import { defaultDeadlines } from "../calls/client.ts"
import type { Deadlines } from "../calls/client.ts"
import { makeAuth } from "../auth/makeAuth.ts"
import type { ClientTls as ClientTlsSetting } from "../../config/sections/Upstream.ts"
import type { EndpointOptions, ClientTls } from "../Endpoint.ts"
import { protocolOf } from "../protocols.ts"
import type { Guardrail } from "../protocols/Protocol.ts"
import type { TextUpstream } from "../Upstream.ts"
import { videoDeadlines } from "../videos/videoApi.ts"
import type { VideoServices } from "../videos/videoApi.ts"
import type { VideoUpstream } from "../videos/VideoUpstream.ts"

/** The upstream of an entry at one protocol, text or video, with one of its keys. */
export type Place =
  | {
      readonly kind: "text"
      readonly upstream: (key: ApiKey) => Effect.Effect<TextUpstream, never, AddressGuard | Documents>
    }
  | {
      readonly kind: "video"
      readonly upstream: (key: ApiKey) => Effect.Effect<VideoUpstream, never, VideoServices>
    }

type ApiKey = Redacted.Redacted | undefined

/**
 * @param name of the entry
 * @param auth its credentials, which all of its protocols share
 */
export const placeOf = (name: string, entry: SurfaceEntry, auth: Auth | undefined): Place => {
  const protocol = protocolOf(entry.protocol)
  return protocol.kind === "text"
    ? {
        kind: "text",
        upstream: (key) =>
          Effect.map(Effect.all([AddressGuard, Documents]), ([{ files }, { read }]) =>
            protocol.upstream(
              {
                name,
                ...endpointOptions(entry, auth, key),
                deadlines: deadlinesOf(entry, defaultDeadlines),
                readDocument: read,
                files,
                threads: entry.protocol === "anthropic-messages" && entry.threads === true,
                thinkTags: entry.think_tags ?? false,
                cachesAll: entry.cache === "auto",
                betas: entry.anthropic_beta,
                guardrail: guardrailOf(entry),
                tellsCost: tellsCost(entry),
                defaults: defaultsOf(entry),
                sharedIds: entry.shared_ids ?? [],
                runsOn: runsOn(entry),
                runsServers: runsServers(entry)
              },
              entry.provider
            )
          )
      }
    : {
        kind: "video",
        upstream: (key) =>
          protocol.upstream({
            name,
            ...endpointOptions(entry, auth, key),
            deadlines: deadlinesOf(entry, videoDeadlines),
            tellsCost: tellsCost(entry)
          })
      }
}

/** The credentials of an entry, found once for all of its protocols; undefined if it has a key. */
export const credentialsOf = ({ auth, base_url: baseUrl, proxy, region }: SurfaceEntry) =>
  makeAuth({ auth, region, baseUrl, proxy: proxyIn(proxy) })

/** The address, credentials and headers of an entry, with one of its keys. */
export const endpointOptions = (entry: SurfaceEntry, auth: Auth | undefined, apiKey: ApiKey): EndpointOptions => {
  const { base_url: baseUrl, headers = {}, proxy, tls } = entry
  return {
    auth,
    baseUrl,
    apiKey,
    proxy: proxyIn(proxy),
    tls: tls && plainTls(tls),
    headers: {
      ...guardrailHeaders(entry),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)]))
    }
  }
}

/** The certificates of a setting. */
export const plainTls = ({ ca, cert, key }: typeof ClientTlsSetting.Type): ClientTls => ({
  ...(ca && { ca: Redacted.value(ca) }),
  ...(cert && { cert: Redacted.value(cert) }),
  ...(key && { key: Redacted.value(key) })
})

/** No other server is believed: its answer might be the caller's own. */
const tellsCost = ({ base_url: baseUrl, provider }: SurfaceEntry): boolean => {
  const known = providerOfEntry(baseUrl, provider)
  return known !== undefined && providerRow(known).tellsCost === true
}

const defaultsOf = ({ default_inference_geo: geo, default_service_tier: tier }: SurfaceEntry): Served | undefined =>
  geo === undefined && tier === undefined
    ? undefined
    : { ...(tier !== undefined && { tier }), ...(geo !== undefined && { geo }) }

const guardrailOf = ({ guardrail }: SurfaceEntry): Guardrail | undefined =>
  guardrail && { id: guardrail.id, version: guardrail.version ?? "DRAFT" }

/** At Bedrock, a guardrail is named by headers for all dialects but Converse, which has a field for it. */
const guardrailHeaders = (entry: SurfaceEntry): Readonly<Record<string, string>> => {
  const guardrail = entry.protocol === "bedrock-converse" ? undefined : guardrailOf(entry)
  return guardrail === undefined
    ? {}
    : {
        "x-amzn-bedrock-guardrailidentifier": guardrail.id,
        "x-amzn-bedrock-guardrailversion": guardrail.version
      }
}

const deadlinesOf = (entry: SurfaceEntry, usual: Deadlines): Deadlines => ({
  connectMs: inMs(entry.connect_seconds) ?? usual.connectMs,
  firstByteMs: inMs(entry.first_byte_seconds) ?? usual.firstByteMs,
  idleMs: inMs(entry.idle_seconds) ?? usual.idleMs
})

const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000)
