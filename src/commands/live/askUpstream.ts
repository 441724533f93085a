import { Data, Effect } from "effect"
import type { Redacted } from "effect"
import { parseJson } from "../../contract/json/json.ts"
import type { Documents } from "../../documents/Documents.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import type { AddressGuard } from "../../guard/AddressGuard.ts"
import { callUpstream } from "../../upstreams/calls/client.ts"
import { connectionOf, headersTo } from "../../upstreams/Endpoint.ts"
import type { EndpointOptions } from "../../upstreams/Endpoint.ts"
import { authFields } from "../../config/sections/Auth.ts"
import { rowOf } from "../../config/providers/surfaces.ts"
import type { SurfaceEntry } from "../../config/providers/surfaces.ts"
import { conversationOf } from "../../generation/inputsAlone.ts"
import { endpointOptions, placeOf } from "../../upstreams/configured/fromSettings.ts"
import { hintOf } from "../../upstreams/calls/hintOf.ts"
import type { Reach } from "../../upstreams/calls/hintOf.ts"
import { idsIn, listsAt } from "../../upstreams/calls/listModels.ts"
import { keysOf } from "../../upstreams/keys/keysOf.ts"
import { troubleOf } from "../../upstreams/protocols/errorMeaning.ts"
import { protocolOf } from "../../upstreams/protocols.ts"
import type { UpstreamError } from "../../upstreams/UpstreamError.ts"
import { startGeneration } from "../../upstreams/text/upstreamOf.ts"

/** A model of the file, and its name at an upstream. */
export interface RoutedModel {
  readonly id: string
  readonly model: string
}

/** The result of testing an upstream. */
export interface UpstreamReply {
  readonly name: string
  /** Its name, with the protocol if it is asked in several. */
  readonly label: string
  /** The models routed to it. */
  readonly routed: ReadonlyArray<RoutedModel>
  /** Its key, by its place in the list; undefined unless it has several. */
  readonly key: string | undefined
  /** The identity behind a cloud's credentials. */
  readonly identity: string | undefined
  /** The duration of the test. */
  readonly ms: number
  /** Models it lists; undefined if it has no list. */
  readonly models: ReadonlyArray<string> | undefined
  /** The question: `list`, or `a token of <model>`. */
  readonly by: string
  /** The failure, and the setting that probably causes it. */
  readonly problem: { readonly message: string; readonly setting: string | undefined } | undefined
}

/** The upstream has no list of models; it is asked for one token instead. */
class NoList extends Data.TaggedError("NoList")<{ readonly message: string }> {}
class Refused extends Data.TaggedError("Refused")<{
  readonly message: string
  readonly setting: string | undefined
}> {}

const deadlines = { connectMs: 5_000, firstByteMs: 30_000, idleMs: 30_000 }
const answerLimit = 4 * 1024 * 1024
/** The endpoint that lists its models, or its tasks if it lists no models. */
const listing = (entry: SurfaceEntry) => {
  const protocol = protocolOf(entry.protocol)
  return protocol.kind === "text"
    ? { ...protocol.listing(entry.base_url, entry.provider), ofModels: true }
    : { ...protocol.listing, isListOfAll: undefined, listedAt: undefined, modelIds: undefined }
}

/** An upstream at one of its protocols, and the names there of the models that are routed to it. */
type ProbedUpstream = Pick<UpstreamReply, "name" | "label" | "routed"> & {
  readonly entry: SurfaceEntry
  /** Its credentials, at all protocols. */
  readonly auth: EndpointOptions["auth"]
  /** The settings that its address is made of. */
  readonly placedBy: ReadonlyArray<string>
}

/** The same with one of its keys. */
interface Place extends ProbedUpstream {
  readonly secret: Redacted.Redacted | undefined
  readonly key: string | undefined
}

/** The settings that a hint may name. */
const reachOf = ({ entry, key, placedBy }: Place): Reach => ({
  key,
  placedBy,
  isByAuth: authFields(entry.auth ?? "key").kind !== "key"
})

/** The models of all of its lists; undefined if they are lists of tasks. */
const listed = (place: Place) =>
  Effect.gen(function* () {
    const { auth, entry, secret } = place
    if (rowOf(entry)?.hasDeployments === true) return yield* new NoList({ message: "no list names its deployments" })
    const lists = listing(entry)
    if (lists.isListOfAll && place.routed.length > 0) return yield* new NoList({ message: "its list is of no project" })
    const options = endpointOptions(entry, auth, secret)
    const urls = listsAt(lists, options.baseUrl)
    const all = yield* Effect.forEach(urls, (url) => oneList(place, options, lists, url))
    return lists.ofModels ? all.flat() : undefined
  })

const oneList = (
  place: Place,
  options: EndpointOptions,
  { endpoint, listedAt, modelIds = idsIn, ofModels }: ReturnType<typeof listing>,
  url: string
) =>
  Effect.gen(function* () {
    const { name } = place
    const answer = yield* Effect.mapError(
      callUpstream({
        method: "GET",
        url,
        headers: headersTo(endpoint, options),
        deadlines,
        ...connectionOf(options)
      }),
      refusedBy(name, reachOf(place))
    )
    const body = yield* Effect.tryPromise({
      try: () => answer.text(answerLimit),
      catch: () => new Refused({ message: "the connection closed during its answer", setting: undefined })
    })
    // Permission to ask models is not permission to list them, where that is another service.
    if (noList.has(answer.status) || (listedAt !== undefined && answer.status === 403)) {
      return yield* new NoList({ message: `${url.replace(/\?.*$/s, "")} answers with status ${answer.status}` })
    }
    if (answer.status !== 200) {
      const { status } = answer
      const trouble = troubleOf({ status, body: parseJson(body), sent: "" })
      const setting = hintOf(name, { status, said: body.slice(0, 4_096), trouble }, reachOf(place))
      return yield* new Refused({ message: `it answers with status ${answer.status}`, setting })
    }
    if (!ofModels) return []
    return modelIds(parseJson(body)) ?? (yield* new NoList({ message: "its answer is no list of models" }))
  })

const noList: ReadonlySet<number> = new Set([404, 405, 501])

const refusedBy = (name: string, reach: Reach) => (error: UpstreamError) =>
  new Refused({ message: error.said ?? error.failure.message, setting: hintOf(name, error, reach) })

/** The least `max_output_tokens`; OpenAI's responses require 16. */
const minOutputTokens = (entry: SurfaceEntry) => (entry.protocol === "openai-responses" ? 16 : 1)

const oneToken = (place: Place, { id, model }: RoutedModel) =>
  Effect.gen(function* () {
    const { auth, entry, name, secret } = place
    const placed = placeOf(name, entry, auth)
    if (placed.kind === "video") return
    const upstream = yield* placed.upstream(secret)
    const runtime = yield* Effect.runtime()
    const options = { upstreamModel: model, stream: false, requestId: "check", runtime }
    yield* startGeneration(upstream, hello(model, minOutputTokens(entry)), options).pipe(
      Effect.tap((generation) => Effect.sync(() => generation.cancel())),
      Effect.mapError((error) =>
        error._tag === "UpstreamError"
          ? refusedBy(name, { ...reachOf(place), model: `the model in models.${id}.routes` })(error)
          : new Refused({ message: error.message, setting: undefined })
      )
    )
  })

const hello = (model: string, maxOutputTokens: number): Conversation =>
  conversationOf({ model, inputs: [{ type: "text", text: "Hi" }], maxOutputTokens })

/**
 * Asks an upstream at one protocol with each of its keys for its list of models; one without a list is asked for a token
 * of the first model routed to it.
 */
export const askUpstream = (
  asked: ProbedUpstream
): Effect.Effect<ReadonlyArray<UpstreamReply>, never, AddressGuard | Documents> => {
  const keys = keysOf(asked.entry).map(({ key }, index) => ({ secret: key, key: `key ${index + 1}` }))
  const all = keys.length === 0 ? [{ secret: asked.entry.api_key, key: undefined }] : keys
  return Effect.forEach(all, (one) => askWith({ ...asked, ...one }))
}

const identityOf = ({ auth }: Place): Effect.Effect<string | undefined> =>
  auth === undefined
    ? Effect.succeed(undefined)
    : Effect.orElseSucceed(
        Effect.tryPromise(() => auth.identity()),
        () => undefined
      )

const askWith = (place: Place): Effect.Effect<UpstreamReply, never, AddressGuard | Documents> =>
  Effect.gen(function* () {
    const { key, label, name, routed } = place
    const startedMs = performance.now()
    const [first] = routed
    const identity = yield* identityOf(place)
    const done = (by: string, rest: Pick<UpstreamReply, "models" | "problem">): UpstreamReply => ({
      name,
      label,
      routed,
      key,
      identity,
      by,
      ms: Math.round(performance.now() - startedMs),
      ...rest
    })
    const failed = (by: string) => (error: { readonly message: string; readonly setting?: string | undefined }) =>
      Effect.succeed(
        done(by, { models: undefined, problem: { message: error.message, setting: error.setting ?? undefined } })
      )
    return yield* listed(place).pipe(
      Effect.map((models) => done("list", { models, problem: undefined })),
      Effect.catchTags({
        Refused: failed("list"),
        NoList: (error) =>
          first === undefined
            ? failed("list")({
                message: error.message,
                setting: `upstreams.${name}.base_url is wrong, or no model of models: runs there`
              })
            : oneToken(place, first).pipe(
                Effect.as(done(`a token of ${first.model}`, { models: undefined, problem: undefined })),
                Effect.catchTag("Refused", failed(`a token of ${first.model}`))
              )
      })
    )
  })
