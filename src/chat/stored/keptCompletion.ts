import { Schema } from "effect"
import type { Maker } from "../../contract/callers/Own.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import { isJsonObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { listAt } from "../../contract/json/json.ts"
import { Metadata } from "../../contract/Metadata.ts"
import type { Head } from "../chunks.ts"
import type { CreateCompletion } from "../Request.ts"
import type { StoredCompletions } from "../store/StoredCompletions.ts"

/** Stores the answer of one request. */
export interface KeptCompletion {
  /** Takes the answer; the last one counts. */
  readonly take: (completion: JsonObject) => void
  /** Stores it. Undefined if there is none. */
  readonly save: () => Promise<void> | undefined
}

/** Prepares to store the answer of a request with `store: true`. Undefined for others. */
export const keptCompletion = (
  store: Pick<StoredCompletions, "save">,
  maker: Maker,
  payload: CreateCompletion,
  { body }: Incoming,
  { id, model }: Head
): KeptCompletion | InvalidRequest | undefined => {
  if (payload.store !== true) return undefined
  const sent = isJsonObject(body) ? body : payload
  const metadata = sent.metadata ?? {}
  if (!isMetadata(metadata)) return tooMuchMetadata
  let completion: JsonObject | undefined
  return {
    take: (given) => {
      completion = given
    },
    save: () => completion && store.save(maker, { id, model, metadata, completion, messages: listAt(sent, "messages") })
  }
}

const isMetadata = Schema.is(Metadata)

const tooMuchMetadata = new InvalidRequest({
  param: "metadata",
  message:
    "metadata: with store, expected at most 16 pairs of texts, of keys of 64 and values of 512 characters at most"
})
