import { Context, Effect, Layer } from "effect"
import { Ledger } from "./Ledger.ts"

/** Usage that this process has not stored yet. */
export class PendingUsage extends Context.Tag("gateway/ledger/PendingUsage")<
  PendingUsage,
  { readonly flush: Effect.Effect<void> }
>() {
  /** That of a process that serves. */
  static readonly Default = Layer.effect(
    PendingUsage,
    Effect.map(Ledger, ({ flush }) => ({ flush }))
  )
}
