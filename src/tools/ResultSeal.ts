import { Context, Effect } from "effect"

interface Sealing {
  readonly seal: (id: string, result: unknown) => Effect.Effect<string>
  /** Dies for a text that is sealed for another call, or by another secret. */
  readonly open: (id: string, text: string) => Effect.Effect<unknown>
}

/** Encrypts stored results of calls. By default none can be stored. */
export class ResultSeal extends Context.Reference<ResultSeal>()("gateway/tools/ResultSeal", {
  defaultValue: (): Sealing => ({
    seal: () => Effect.dieMessage("results of calls can't be sealed here"),
    open: () => Effect.dieMessage("results of calls can't be opened here")
  })
}) {}
