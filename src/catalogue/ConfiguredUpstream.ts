import { Duration, Effect, ExecutionStrategy, Scope } from "effect"
import type { Redacted } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { proxyIn, proxyShown } from "../config/proxies.ts"
import { authFields } from "../config/sections/Auth.ts"
import { spelt } from "../config/spelt.ts"
import type { EndpointOptions } from "../upstreams/Endpoint.ts"
import type { Documents } from "../documents/Documents.ts"
import type { SurfaceEntry, UpstreamEntry } from "../config/providers/surfaces.ts"
import { credentialsOf, placeOf } from "../upstreams/configured/fromSettings.ts"
import { keysOf } from "../upstreams/keys/keysOf.ts"
import { protocolOf } from "../upstreams/protocols.ts"
import { soundEntry } from "../upstreams/configured/soundEntry.ts"
import { KeyNames } from "../upstreams/keys/KeyNames.ts"
import type { AtKey } from "../upstreams/keys/KeyPool.ts"
import { listModels, NoModelList } from "../upstreams/calls/listModels.ts"
import type { ListedModel } from "../upstreams/calls/listModels.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import type { VideoServices } from "../upstreams/videos/videoApi.ts"
import type { VideoUpstream } from "../upstreams/videos/VideoUpstream.ts"
import { makeBulkhead, usualQueueSeconds, withOwnCircuit } from "../routing/Bulkhead.ts"
import type { Bulkhead } from "../routing/Bulkhead.ts"
import { partOf } from "../routing/Route.ts"
import { SharedBulkheads } from "./SharedBulkheads.ts"

/** A configured upstream with its entry. */
export interface ConfiguredUpstream {
  readonly entry: UpstreamEntry
  /** The entry at each protocol, the usual one first. */
  readonly surfaces: ReadonlyArray<SurfaceEntry>
  /** Its credentials, at all protocols. */
  readonly auth: EndpointOptions["auth"]
  /** By the names of its parts (`partOf`). */
  readonly texts: ReadonlyArray<readonly [part: string, upstream: TextUpstream]>
  readonly video: VideoUpstream | undefined
  /** By the names of its parts. They share their places; each has a circuit of its own. */
  readonly bulkheads: ReadonlyArray<readonly [part: string, bulkhead: Bulkhead]>
  /** The models that it listed, if listing is on. */
  readonly listed: ReadonlyArray<ListedModel>
  /** True if the last listing failed, so that `listed` is from an earlier one. */
  readonly isStale: boolean
  /** Closed when the upstream is no longer configured. */
  readonly scope: Scope.CloseableScope
}

/**
 * Builds the upstream of an entry. An unchanged one keeps its state, but its models are listed again.
 *
 * @param before the current upstream of that name
 */
export const configureUpstream = Effect.fnUntraced(function* (
  file: Located<GatewayFile>,
  name: string,
  entry: UpstreamEntry,
  before: ConfiguredUpstream | undefined
): Effect.fn.Return<ConfiguredUpstream, BadSettings, Documents | KeyNames | SharedBulkheads | VideoServices> {
  const surfaces = yield* soundEntry(file, name, entry)
  const same = before !== undefined && spelt(before.surfaces) === spelt(surfaces) ? before : undefined
  const made = same ?? (yield* anew(name, entry, surfaces))
  const usual = usualOfTexts(surfaces)
  if (entry.list_models !== true || usual === undefined) return made
  // With another key or header it is still the same server, which may not be up yet.
  const isSameServer = before !== undefined && usualOfTexts(before.surfaces)?.base_url === usual.base_url
  return { ...made, ...(yield* listedBy(name, usual, made.auth, isSameServer ? before.listed : made.listed)) }
})

/** The surface that lists the models. */
const usualOfTexts = (surfaces: ReadonlyArray<SurfaceEntry>): SurfaceEntry | undefined =>
  surfaces.find(({ protocol }) => protocolOf(protocol).kind === "text")

const anew = Effect.fnUntraced(function* (name: string, entry: UpstreamEntry, surfaces: ReadonlyArray<SurfaceEntry>) {
  const shared = yield* SharedBulkheads
  const most = entry.max_concurrency
  const scope = yield* Effect.flatMap(Effect.scope, (all) => Scope.fork(all, ExecutionStrategy.sequential))
  const opened = (part: string) => (forMs: number) => shared.opened(part, forMs)
  const first = yield* makeBulkhead({
    maxConcurrency: most,
    room: most === undefined ? undefined : shared.roomOf(name, most),
    opened: opened(name),
    queueDeadline: Duration.seconds(entry.queue_seconds ?? usualQueueSeconds)
  })
  const [usual] = surfaces
  const auth = usual && (yield* credentialsOf(usual))
  const texts: Array<readonly [string, TextUpstream]> = []
  let video: VideoUpstream | undefined
  for (const surface of surfaces) {
    const place = placeOf(name, surface, auth)
    if (place.kind === "video") video = yield* Scope.extend(withKeys(entry, place.upstream), scope)
    else {
      const part = texts.length === 0 ? name : partOf({ upstream: name, protocol: surface.protocol })
      texts.push([part, yield* withKeys(entry, place.upstream)])
    }
  }
  const [, ...others] = texts
  const bulkheads = [
    [name, first] as const,
    ...others.map(([part]) => [part, withOwnCircuit(first, { opened: opened(part) })] as const)
  ]
  yield* Effect.annotateLogs(Effect.logInfo(inWords(name, surfaces)), { event: "upstream.configured", upstream: name })
  return { entry, surfaces, auth, texts, video, bulkheads, listed: [], isStale: false, scope }
})

/** The upstream with its first key, and with each of several. */
const withKeys = Effect.fnUntraced(function* <U extends AtKey<U>, R>(
  entry: UpstreamEntry,
  at: (key: Redacted.Redacted | undefined) => Effect.Effect<U, never, R>
): Effect.fn.Return<U, never, R | KeyNames> {
  const nameOf = yield* KeyNames
  const keys = yield* Effect.forEach(keysOf(entry), ({ key: secret, weight }) => {
    const key = nameOf(secret)
    return Effect.map(at(secret), (upstream) => ({ key, weight, upstream: { ...upstream, key } }))
  })
  const [first] = keys
  if (first !== undefined) return { ...first.upstream, keys }
  const upstream = yield* at(entry.api_key)
  return entry.api_key === undefined ? upstream : { ...upstream, onlyKey: nameOf(entry.api_key) }
})

/** If it cannot be reached, or just started and lists nothing yet, the earlier list stays. */
const listedBy = (
  name: string,
  entry: SurfaceEntry,
  auth: EndpointOptions["auth"],
  before: ReadonlyArray<ListedModel>
) =>
  listModels(entry, auth).pipe(
    Effect.filterOrFail(
      (models) => models.length > 0,
      () => new NoModelList({ message: "its list is empty" })
    ),
    Effect.tap((models) => Effect.logInfo(`upstream ${name} lists ${models.length} models: ${namesOf(models)}`)),
    Effect.map((listed) => ({ listed, isStale: false })),
    Effect.catchAll(({ message }) => {
      const earlier = before.length === 0 ? "" : `, the ${before.length} listed earlier stay`
      return Effect.as(
        Effect.logWarning(
          `upstream ${name}: its models could not be listed (${message})${earlier}; the gateway tries again`
        ),
        { listed: before, isStale: true }
      )
    })
  )

/** A log line for the operator, without secrets. */
const inWords = (name: string, surfaces: ReadonlyArray<SurfaceEntry>): string => {
  const [usual] = surfaces
  if (usual === undefined) return `upstream ${name}`
  const proxy = proxyIn(usual.proxy)
  const at = surfaces.map(({ base_url, protocol }) => {
    const url = new URL(base_url)
    return `${protocol} at ${url.origin}${url.pathname.replace(/\/$/, "")}`
  })
  return [
    `upstream ${name}: ${at.join(", ")}`,
    credentialsShown(usual),
    ...(proxy === undefined ? [] : [`by the proxy ${proxyShown(proxy)}`]),
    ...(usual.max_concurrency === undefined ? [] : [`${usual.max_concurrency} at a time`])
  ].join(", ")
}

const credentialsShown = ({ api_key: key, auth = "key", keys }: UpstreamEntry): string => {
  if (keys !== undefined) return `${keys.length} keys`
  const { kind } = authFields(auth)
  return kind === "key" ? (key === undefined ? "no key" : "with a key") : `by credentials of ${kind}`
}

/** The names in a log line. Some upstreams list thousands. */
const named = 100

const namesOf = (models: ReadonlyArray<ListedModel>): string => {
  const names = models.slice(0, named).map(({ id }) => id)
  return [...names, ...(models.length > named ? ["…"] : [])].join(", ")
}
