import { Effect } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { textAt } from "../contract/json.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import type { Batch, Generation } from "../generation/Generation.ts"
import { ReasoningSignatures } from "../ownership/store/ReasoningSignatures.ts"
import type { CallSignatures, TextUpstream } from "../upstreams/Upstream.ts"

type Keep = (callId: string, signature: string) => Promise<void>

/** What an upstream that signs its tool calls is told of them, and what becomes of those that it signs now. */
export interface Signing {
  readonly callSignatures: CallSignatures | undefined
  readonly keeping: (generation: Generation) => Generation
}

/** Of an upstream that signs no calls. */
export const signsNothing: Signing = { callSignatures: undefined, keeping: (generation) => generation }

/**
 * Keeps what upstreams sign tool calls with, by the calls' ids and for their account alone: no family has words for it.
 * Undefined where the upstream signs nothing.
 */
export const makeSigning = Effect.gen(function* () {
  const seals = yield* ReasoningSignatures

  return (
    account: AccountId,
    upstream: TextUpstream,
    conversation: Pick<Conversation, "items">
  ): Effect.Effect<Signing> | undefined => {
    // Before its items are read, which are made when they are.
    if (upstream.signsCalls !== true) return undefined
    const keep: Keep = (callId, signature) => seals.save(account, nameOf(callId), [{ signature }]).catch(() => {})
    const keeping = (generation: Generation) => new Keeping(generation, keep)
    const calls = conversation.items.flatMap((item) => (item.type === "tool-call" ? [item.callId] : []))
    if (calls.length === 0) return Effect.succeed({ callSignatures: undefined, keeping })
    return Effect.map(seals.find(account, calls.map(nameOf)), (found) => ({
      callSignatures: new Map(
        calls.flatMap((id): ReadonlyArray<[string, string]> => {
          const signature = textAt(found.get(nameOf(id))?.[0], "signature")
          return signature === undefined ? [] : [[id, signature]]
        })
      ),
      keeping
    }))
  }
})

/** Beside the reasoning that may be kept of the same call. */
const nameOf = (callId: string) => `signed:${callId}`

/** Signatures are kept before anybody hears of the calls, and so could send them back. */
class Keeping extends WrappedGeneration {
  readonly #keep: Keep

  constructor(inner: Generation, keep: Keep) {
    super(inner)
    this.#keep = keep
  }

  protected override note(batch: Batch | undefined): Batch | undefined | Promise<Batch | undefined> {
    const kept = (batch ?? []).flatMap((event) =>
      event.type === "tool-call-signed" ? [this.#keep(event.callId, event.signature)] : []
    )
    return kept.length === 0 ? batch : Promise.all(kept).then(() => batch)
  }
}
