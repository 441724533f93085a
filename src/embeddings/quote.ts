import { Effect } from "effect"
import { InvalidRequest } from "../contract/Failure.ts"
import { openDecoder } from "../contract/open.ts"
import { refusing } from "../contract/refusing.ts"
import type { Quoter } from "../ledger/Quote.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import { makeEstimate } from "../dispatch/estimate.ts"
import { decode } from "./decode.ts"
import { objection } from "./Embeddings.ts"
import { CreateEmbeddings } from "./Request.ts"

const decodeBody = refusing(openDecoder(CreateEmbeddings))

/** Quotes a body of `POST /v1/embeddings`. */
export const makeEmbeddingsQuoter = Effect.gen(function* () {
  const dispatch = yield* Dispatch
  const estimate = yield* makeEstimate
  const quoter: Quoter = Effect.fnUntraced(function* (caller, body) {
    const conversation = decode(yield* decodeBody(body))
    if (conversation instanceof InvalidRequest) return yield* conversation
    const asked = { family: "embeddings" as const, objection, kind: "embedding" as const }
    return yield* estimate(caller, yield* dispatch.quote(caller, conversation, asked))
  })
  return quoter
})
