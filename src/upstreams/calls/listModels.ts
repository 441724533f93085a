import { Data, Effect, Option, Schema } from "effect"
import { parseJson } from "../../contract/json/json.ts"
import { callUpstream } from "./client.ts"
import { addressOf, connectionOf, headersTo } from "../Endpoint.ts"
import type { EndpointOptions } from "../Endpoint.ts"
import type { Auth } from "../../credentials/Auth.ts"
import type { SurfaceEntry } from "../../config/providers/surfaces.ts"
import { endpointOptions } from "../configured/fromSettings.ts"
import { firstKey, keysOf } from "../keys/keysOf.ts"
import { protocolOf } from "../protocols.ts"
import { factsIn } from "./listedFacts.ts"
import type { ModelFacts } from "../../contract/records/ModelFacts.ts"
import type { TextProtocol } from "../protocols.ts"

/** The reason that an upstream's models could not be listed, for the operator. */
export class NoModelList extends Data.TaggedError("NoModelList")<{
  readonly message: string
  /** The status of the upstream's answer. */
  readonly status?: number
}> {}

/** A model that an upstream lists, with what it says of it. */
export interface ListedModel {
  readonly id: string
  readonly facts: ModelFacts
}

/** A start or a reload waits for this call, in ms. */
const deadlines = { connectMs: 2_000, firstByteMs: 5_000, idleMs: 5_000 }
const answerLimit = 4 * 1024 * 1024

const ModelList = Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.NonEmptyString })) })
const decode = Schema.decodeUnknownOption(ModelList)

/** Lists an upstream's models (`/models`, in OpenAI's, Anthropic's or the protocol's own form), with the first of its keys that may. */
export const listModels = (
  entry: SurfaceEntry,
  auth: Auth | undefined
): Effect.Effect<ReadonlyArray<ListedModel>, NoModelList> =>
  keysOf(entry)
    .slice(1)
    .reduce(
      (listed, { key }) =>
        // An upstream that does not answer is not asked with each key: a start waits.
        Effect.catchIf(
          listed,
          ({ status }) => status !== undefined,
          () => listedWith(entry, auth, key)
        ),
      listedWith(entry, auth, firstKey(entry))
    )

const listedWith = Effect.fnUntraced(function* (
  entry: SurfaceEntry,
  auth: Auth | undefined,
  key: ReturnType<typeof firstKey>
): Effect.fn.Return<ReadonlyArray<ListedModel>, NoModelList> {
  const protocol = protocolOf(entry.protocol)
  if (protocol.kind === "video") return []
  const listing = protocol.listing(entry.base_url, entry.provider)
  const place = endpointOptions(entry, auth, key)
  return (yield* Effect.forEach(listsAt(listing, place.baseUrl), (url) => listedAt(url, listing, place))).flat()
})

type Listing = ReturnType<TextProtocol["listing"]>

interface Lists {
  readonly listedAt?: Listing["listedAt"] | undefined
  readonly endpoint: Pick<Listing["endpoint"], "version">
  readonly models: string
}

/** The addresses of an upstream's lists of models. */
export const listsAt = ({ endpoint, listedAt, models }: Lists, baseUrl: string): ReadonlyArray<string> =>
  listedAt?.(baseUrl) ?? [addressOf(endpoint, baseUrl, models)]

const listedAt = Effect.fnUntraced(function* (
  url: string,
  listing: Listing,
  place: EndpointOptions
): Effect.fn.Return<ReadonlyArray<ListedModel>, NoModelList> {
  const answer = yield* Effect.mapError(
    callUpstream({
      method: "GET",
      url,
      headers: headersTo(listing.endpoint, place),
      deadlines,
      ...connectionOf(place)
    }),
    ({ failure, said }) =>
      new NoModelList({ message: said === undefined ? failure.message : `${failure.message} (${said})` })
  )
  const body = yield* Effect.tryPromise({
    try: () => answer.text(answerLimit),
    catch: () => new NoModelList({ message: "its answer was cut off" })
  })
  const { status } = answer
  if (status !== 200) return yield* new NoModelList({ message: `it answered with status ${status}`, status })
  const list = parseJson(body)
  const ids = (listing.modelIds ?? idsIn)(list)
  if (ids === undefined) return yield* new NoModelList({ message: "its answer is not a list of models" })
  const facts = factsIn(list)
  return ids.filter(isServable).map((id) => ({ id, facts: facts.get(id) ?? {} }))
})

/** False for ids that no request, log line or page could show. */
const isServable = (id: string): boolean => id.length <= 256 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(id)

/** The ids in a list of OpenAI's or Anthropic's form; undefined if it is no list. */
export const idsIn = (answer: unknown): ReadonlyArray<string> | undefined =>
  Option.getOrUndefined(Option.map(decode(answer), ({ data }) => data.map(({ id }) => id)))
