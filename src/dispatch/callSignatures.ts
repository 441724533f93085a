import { Effect } from "effect"
import type { Holder } from "../contract/callers/Caller.ts"
import { textAt } from "../contract/json/json.ts"
import type { Conversation, Item } from "../generation/Conversation.ts"
import { signedImageId, signedTextId } from "../generation/signedText.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import type { Batch, Generation } from "../generation/Generation.ts"
import { ReasoningSignatures } from "../ownership/store/ReasoningSignatures.ts"
import type { CallSignatures } from "../upstreams/Upstream.ts"

type Keep = (callId: string, signature: string) => Promise<void>

/** Signatures of earlier calls, texts and images for an upstream that signs them, and a wrapper that stores new ones. */
export interface Signing {
  readonly callSignatures: CallSignatures | undefined
  readonly keeping: (generation: Generation) => Generation
}

/** For upstreams that sign nothing. */
export const signsNothing: Signing = { callSignatures: undefined, keeping: (generation) => generation }

/**
 * Stores the signatures of tool calls by call id, and of texts and images by their hash, for their account or person alone, because no family has a field for
 * them. For upstreams that sign them.
 */
export const makeSigning = Effect.gen(function* () {
  const seals = yield* ReasoningSignatures

  return (holder: Holder, conversation: Pick<Conversation, "items">, model: string): Effect.Effect<Signing> => {
    const keep: Keep = (callId, signature) => seals.save(holder, nameOf(callId), [{ signature, model }]).catch(() => {})
    const keeping = (generation: Generation) => new Keeping(generation, keep)
    const ids = conversation.items.flatMap(signableIds)
    if (ids.length === 0) return Effect.succeed({ callSignatures: undefined, keeping })
    return Effect.map(seals.find(holder, ids.map(nameOf)), (found) => ({
      callSignatures: new Map(
        ids.flatMap((id): ReadonlyArray<[string, string]> => {
          const [kept] = found.get(nameOf(id)) ?? []
          const signature = textAt(kept, "signature")
          // No other model accepts it.
          const isOwn = (textAt(kept, "model") ?? model) === model
          return signature === undefined || !isOwn ? [] : [[id, signature]]
        })
      ),
      keeping
    }))
  }
})

/** The ids under which an item's signatures may be stored: of a call, and of an assistant's texts and images (Gemini's). */
const signableIds = (item: Item): ReadonlyArray<string> => {
  if (item.type === "tool-call") return [item.callId]
  if (item.type !== "message" || item.role !== "assistant") return []
  return item.content.flatMap((part) => {
    if (part.type === "text") return part.text === "" ? [] : [signedTextId(part.text)]
    return part.type === "image" && part.source.type === "base64" ? [signedImageId(part.source.data)] : []
  })
}

/** Its own name, since reasoning may be stored for the same call. */
const nameOf = (callId: string) => `signed:${callId}`

/** Stores signatures before the client sees the calls and could return them. */
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
