import { Clock, Effect } from "effect"
import type { Caller, Holder } from "../../contract/callers/Caller.ts"
import { Conflict, InvalidRequest } from "../../contract/failures/Failure.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { StoredFiles } from "../../storedFiles/StoredFiles.ts"
import { canceled } from "../BatchKind.ts"
import { makeBeginBatch } from "../beginBatch.ts"
import { tokenLimitsOf } from "../lineCaller.ts"
import { makeBatchLists } from "../makeBatchLists.ts"
import { keptHeaders } from "../keptHeaders.ts"
import { BatchStore } from "../store/BatchStore.ts"
import type { CreateBatch, ListBatches, OpenAIBatch } from "./Api.ts"
import { mostInput } from "./inputLines.ts"
import { filePrefix, openAIBatch } from "./openAIBatch.ts"
import type { Details } from "./openAIBatch.ts"

/** OpenAI's batches, whose requests are in a file. */
export const makeOpenAIBatches = Effect.gen(function* () {
  const batches = yield* BatchStore
  const files = yield* StoredFiles
  const begin = yield* makeBeginBatch
  const { find, newBatch, page } = yield* makeBatchLists(filePrefix)

  const create = Effect.fnUntraced(function* (
    caller: Caller,
    payload: CreateBatch,
    request: Incoming
  ): Effect.fn.Return<OpenAIBatch, Failure> {
    const { endpoint, input_file_id: inputFile, metadata, output_expires_after } = payload
    const file = yield* Effect.catchTag(files.find(caller, inputFile), "NotFound", ({ message }) => wrongFile(message))
    if (file.purpose !== "batch")
      return yield* wrongFile(`expected a file of purpose "batch"; it has "${file.purpose}"`)
    if (file.bytes > mostInput.bytes) return yield* wrongFile(`expected a file of at most ${mostInput.bytes} bytes`)
    const details: Details = {
      headers: keptHeaders(request.headers),
      tokenLimits: tokenLimitsOf(caller),
      inputFile,
      metadata: metadata ?? null,
      outputLifeSeconds: output_expires_after?.seconds
    }
    const batch = yield* newBatch(caller, endpoint, details)
    return openAIBatch(yield* begin({ batch, request, fill: Effect.succeed("later"), shown: openAIBatch }))
  })

  const cancel = Effect.fnUntraced(function* (holder: Holder, id: string) {
    const before = yield* find(holder, id)
    if (before.state === "ended") {
      const message = `The batch has ended and can't be cancelled: it is ${openAIBatch(before).status}`
      return yield* new Conflict({ code: null, message })
    }
    yield* Effect.orDie(batches.stop(id, canceled, yield* Clock.currentTimeMillis))
    return openAIBatch(yield* find(holder, id))
  })

  const list = (holder: Holder, { after, limit = 20 }: ListBatches) =>
    Effect.map(page(holder, { limit, after, cursors: ["after", "before"] }), ({ rows, ...rest }) => ({
      object: "list" as const,
      data: rows.map(openAIBatch),
      ...rest
    }))

  return {
    create,
    cancel,
    list,
    find: (holder: Holder, id: string) => Effect.map(find(holder, id), openAIBatch)
  } as const
})

const wrongFile = (message: string) =>
  new InvalidRequest({ param: "input_file_id", message: `input_file_id: ${message}` })
