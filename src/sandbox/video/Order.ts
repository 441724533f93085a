import { Data, Schema } from "effect"
import type { Effect, Option } from "effect"
import { VideoError } from "../../upstreams/videos/VideoUpstream.ts"

/** The stored order of a clip, enough to continue after a restart. Times are Unix milliseconds. */
export const Order = Schema.Struct({
  scene: Schema.Struct({
    width: Schema.Int,
    height: Schema.Int,
    frames: Schema.Int,
    framesPerSecond: Schema.Int,
    seed: Schema.Int,
    prompt: Schema.String,
    watermark: Schema.Boolean,
    lastFrame: Schema.Boolean
  }),
  runsAtMs: Schema.Number,
  endsAtMs: Schema.Number,
  /** The clip is useless after this. */
  deadlineMs: Schema.Number,
  cancelled: Schema.Boolean,
  error: Schema.NullOr(VideoError),
  renderedAtMs: Schema.NullOr(Schema.Number)
})
export type Order = typeof Order.Type

/** Orders cannot be read or written. The message is for the log. */
export class OrdersUnavailable extends Data.TaggedError("OrdersUnavailable")<{ readonly message: string }> {}

/** An order as stored, with its expiry. */
export interface Stored {
  readonly id: string
  readonly taskId: string
  readonly order: Order
  /** Unix ms. */
  readonly endsAtMs: number
}

/** Orders by id, one per task. */
export interface Orders {
  /** Synchronous where the storage allows. */
  readonly write: (stored: Stored) => Effect.Effect<void, OrdersUnavailable>
  readonly read: (id: string) => Effect.Effect<Option.Option<Order>, OrdersUnavailable>
  readonly idOf: (taskId: string) => Effect.Effect<Option.Option<string>, OrdersUnavailable>
  /** The ids of expired orders. */
  readonly over: (nowMs: number) => Effect.Effect<ReadonlyArray<string>, OrdersUnavailable>
  readonly remove: (id: string) => Effect.Effect<void, OrdersUnavailable>
}

export const encodeOrder = (order: Order): string => JSON.stringify(order)
export const decodeOrder = Schema.decodeUnknownSync(Schema.parseJson(Order))
