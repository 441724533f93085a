import { BunContext, BunRuntime } from "@effect/platform-bun"
import { Effect } from "effect"
import { gateway } from "./commands/gateway.ts"
import { raiseFetchLimit } from "./commands/raiseFetchLimit.ts"

raiseFetchLimit()

gateway(process.argv).pipe(
  Effect.provide(BunContext.layer),
  BunRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
