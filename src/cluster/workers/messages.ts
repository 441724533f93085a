import { Schema } from "effect"
import { Snapshot } from "../../telemetry/Snapshot.ts"

/** What a worker is told. */
export const ToWorker = Schema.Union(
  Schema.Struct({ type: Schema.Literal("ping") }),
  /** Others serve in its place: it takes nothing new, ends what runs, and then itself. */
  Schema.Struct({ type: Schema.Literal("leave") }),
  Schema.Struct({ type: Schema.Literal("count"), id: Schema.Int }),
  Schema.Struct({ type: Schema.Literal("counted"), id: Schema.Int, all: Schema.Array(Snapshot) })
)
export type ToWorker = typeof ToWorker.Type

/** What a worker says. */
export const FromWorker = Schema.Union(
  Schema.Struct({ type: Schema.Literal("up"), url: Schema.String }),
  Schema.Struct({ type: Schema.Literal("pong") }),
  /** Asks what all of them count. */
  Schema.Struct({ type: Schema.Literal("ask"), id: Schema.Int }),
  Schema.Struct({ type: Schema.Literal("counts"), id: Schema.Int, own: Snapshot })
)
export type FromWorker = typeof FromWorker.Type
