import { Schema } from "effect"
import { Snapshot } from "../../telemetry/Snapshot.ts"

/** Messages to a worker. */
export const ToWorker = Schema.Union(
  Schema.Struct({ type: Schema.Literal("ping") }),
  /** The worker is replaced: it stops listening, drains and ends. */
  Schema.Struct({ type: Schema.Literal("leave") }),
  Schema.Struct({ type: Schema.Literal("count"), id: Schema.Int }),
  Schema.Struct({ type: Schema.Literal("counted"), id: Schema.Int, all: Schema.Array(Snapshot) })
)
export type ToWorker = typeof ToWorker.Type

/** Messages from a worker. */
export const FromWorker = Schema.Union(
  Schema.Struct({ type: Schema.Literal("up"), url: Schema.String }),
  Schema.Struct({ type: Schema.Literal("pong") }),
  /** Requests the metrics of all workers. */
  Schema.Struct({ type: Schema.Literal("ask"), id: Schema.Int }),
  Schema.Struct({ type: Schema.Literal("counts"), id: Schema.Int, own: Snapshot })
)
export type FromWorker = typeof FromWorker.Type
