import { Effect, Schema } from "effect"
import { AccountId, KeyId, Limits, ModelRule, Unpriced } from "../contract/callers/Caller.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import type { Trace } from "../contract/records/Trace.ts"
import type { Offers } from "../ledger/Offers.ts"
import { textWith } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"

const Domains = Schema.UndefinedOr(Schema.Array(Schema.String))

/**
 * The caller when the request was accepted. Later changes of the key do not affect the task. Budgets hold its amounts
 * already.
 */
const StoredCaller = Schema.Struct({
  account: AccountId,
  key: KeyId,
  ...ModelRule.fields,
  accountModels: Schema.optional(ModelRule),
  upstreams: Schema.optional(Schema.Array(Schema.String)),
  choosesRoute: Schema.optional(Schema.Boolean),
  keyLimits: Limits,
  accountLimits: Limits,
  person: Schema.optional(Schema.Struct({ id: Schema.String, keys: Schema.Array(Schema.String) })),
  unpriced: Schema.optional(Unpriced),
  holdOutputTokens: Schema.optional(Schema.Int),
  searchDomains: Schema.Struct({ allowed: Domains, blocked: Domains })
})

const StoredRequest = Schema.Struct({
  requestId: Schema.String,
  caller: StoredCaller,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.Unknown,
  /** The routes that were priced when the money was held (`Price.text`). */
  routes: Schema.optional(
    Schema.Array(
      Schema.Struct({
        upstream: Schema.String,
        model: Schema.String,
        price: Schema.String,
        isUnsearched: Schema.optionalWith(Schema.Literal(true), { exact: true })
      })
    )
  )
})
type StoredRequest = typeof StoredRequest.Type

/** Dies of a stored value that can't be decoded, with a message that has nothing of it: it may hold secrets. */
export const readable = <A>(decoded: Effect.Effect<A, unknown>): Effect.Effect<A> =>
  Effect.catchAll(decoded, () => Effect.dieMessage("the stored request of a task can't be read"))

/** JSON has no undefined: missing fields decode to it. */
const decode = Schema.decodeUnknown(StoredRequest, { exact: false })

/** Decodes a task's request. */
export const decodeStored = (stored: unknown): Effect.Effect<StoredRequest> => readable(decode(stored))

/**
 * Builds the stored request of an answer that is fetched later.
 *
 * @param kept names of the headers that change the body's meaning; all others belong to the connection or are secret
 * @param held the routes that the hold covers, and the other models whose prices it covers
 */
export const storedRequest = (
  caller: Caller,
  { body, headers, id }: Pick<Incoming, "body" | "headers" | "id">,
  kept: ReadonlyArray<string>,
  { offers, otherModels }: { readonly offers: Offers<Offered>; readonly otherModels: ReadonlyArray<string> }
): StoredRequest => ({
  requestId: id,
  caller,
  headers: Object.fromEntries(
    kept.flatMap((name) => ((value) => (value === null ? [] : [[name, value]]))(headers.get(name)))
  ),
  body,
  routes: offers.all.map(({ isUnsearched, model, price, upstream }) => ({
    upstream,
    model,
    price: textWith(price, pricesOf(price, otherModels)),
    ...(isUnsearched === true && { isUnsearched })
  }))
})

const pricesOf = ({ others }: Price, models: ReadonlyArray<string>): ReadonlyMap<string, Price> =>
  new Map(
    models.flatMap((model) => {
      const price = others?.(model)
      return price === undefined ? [] : [[model, price] as const]
    })
  )

interface Offered {
  readonly upstream: string
  readonly model: string
  readonly price: Price
  readonly isUnsearched?: true
}

/**
 * The request as the server received it. Its client has gone: there is no response to add headers to, and no connection
 * to watch.
 *
 * @param about the record and the trace of the run
 */
export const incomingOf = (
  stored: StoredRequest,
  path: string,
  about: { readonly record: RequestRecord; readonly trace: Trace | undefined }
): Incoming => ({
  id: stored.requestId,
  method: "POST",
  path,
  headers: new Headers(stored.headers),
  body: stored.body,
  // Nothing is cached, because no client is waiting.
  isLarge: true,
  replyHeaders: {},
  ...about,
  shutdown: new AbortController().signal
})
