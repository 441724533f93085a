import { Clock, Effect } from "effect"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { UpstreamFailed } from "../../contract/failures/Failure.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { makeObjection } from "../../contract/open.ts"
import { Dispatch } from "../../dispatch/Dispatch.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import { jsonResponse, passthroughMachine } from "../../pipeline/passthrough.ts"
import type { PassthroughState } from "../../pipeline/passthrough.ts"
import type { Routes, TextFamily, TextInput } from "../../pipeline/TextFamily.ts"
import { understand } from "../decode.ts"
import type { Replay } from "../decode.ts"
import { machine } from "../encode.ts"
import type { Encoding, State } from "../encoding.ts"
import { encodingOf } from "../encodingOf.ts"
import { compactionItemId, inputItemId, newResponseId } from "../ids.ts"
import { toolsOf } from "../InputItem.ts"
import type { StoredItem } from "../InputItem.ts"
import { wholeBody } from "../passthrough.ts"
import { wholeItem } from "../read.ts"
import { makeReplays } from "../replays.ts"
import type { ResponseObject } from "../ResponseObject.ts"
import { asSent } from "../../storedFiles/fileParts.ts"
import { CompactResponse } from "./CompactResponse.ts"
import type { Compacted } from "./CompactResponse.ts"
import { sealSummary } from "./summary.ts"
import { nothing, nothingIn, summaryRequest, summaryIn, unwritten } from "./summaryRequest.ts"

/** A conversation to compact. */
interface Compacting {
  readonly replay: Replay
  readonly conversation: Conversation
  readonly encoding: Encoding
  readonly objection: () => InvalidRequest | undefined
  /** True if every route offers compaction, so that all of them can read the result. */
  readonly isPassed: boolean
}

type CompactionFamily = TextFamily<
  CompactResponse,
  Compacting,
  State,
  PassthroughState,
  Compacted | InvalidRequest | UpstreamFailed | Response
>

/** Compaction for `Pipeline`: the upstream's own, or the user's messages and a summary by the model. */
export const makeCompactionFamily = Effect.gen(function* () {
  const models = yield* Dispatch
  const replays = yield* makeReplays

  const lookUp = Effect.fnUntraced(function* (
    { caller, payload, request }: TextInput<CompactResponse>,
    { passes, translates }: Routes
  ) {
    // Another upstream could not read the result of this one.
    const isPassed = passes(payload.model, "compactions") && !translates(payload.model, "compactions")
    const unknown = isPassed ? undefined : unknownOf(payload, request.body)
    if (unknown !== undefined) return yield* unknown
    const replay = yield* replays.find({ caller, payload, request })
    if (replay.first !== undefined) request.record?.continues(replay.first)
    const understood = understand(payload, request.body, replay, "count")
    if (understood instanceof InvalidRequest) return yield* understood
    const { conversation } = understood
    yield* models.find(conversation.model, "text")
    const objection = () => unknownOf(payload, request.body) ?? understood.objection() ?? nothingIn(conversation)
    const refused = isPassed ? undefined : objection()
    if (refused !== undefined) return yield* refused
    if (replay.history.length + replay.input.length === 0) return yield* nothing
    const createdAt = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const encoding = encodingOf({ model: payload.model, input: "" }, understood, { id: newResponseId(), createdAt })
    return { replay, conversation, encoding, objection, isPassed }
  })

  const family: CompactionFamily = {
    dialect: "compactions",
    heartbeat: "",
    lookUp,
    understand: ({ payload, request }, compacting) => {
      if (compacting === undefined) return nothing
      const { conversation, encoding, isPassed, objection, replay } = compacting
      const { created_at, id } = encoding.response
      const rewrite = (answer: JsonObject) => ({ ...answer, id, created_at })
      return {
        conversation: summaryRequest(conversation),
        stream: false,
        objection: () => (isPassed ? objection() : undefined),
        passthrough: isPassed
          ? () => ({
              body: { ...wholeBody(payload, replay, request), previous_response_id: undefined, stream: undefined },
              bodyText: request.bodyText,
              headers: request.headers,
              rewrite
            })
          : undefined,
        translated: () => ({ machine: machine(encoding), answer: ({ response }) => compacted(response, replay) }),
        passed: () => ({ machine: passed, answer: ({ terminal }) => jsonResponse(terminal, request) })
      }
    }
  }
  return family
})

const unknownOf = makeObjection(CompactResponse)

const passed = passthroughMachine(() => [])

/** The conversation with the model's summary in place of all but the user's messages. */
const compacted = (response: ResponseObject, replay: Replay): Compacted | InvalidRequest | UpstreamFailed => {
  const { created_at, id, usage } = response
  const summary = summaryIn(response)
  if (typeof summary !== "string") return summary
  if (usage === null) return unwritten
  const compaction = { id: compactionItemId(id), type: "compaction" as const, status: "completed" }
  return {
    id,
    object: "response.compaction" as const,
    created_at,
    output: [...keptOf(id, replay), { ...compaction, encrypted_content: sealSummary(summary) }],
    usage
  }
}

/** The user's messages and the tools that the conversation added, which the model may still call. */
const keptOf = (id: string, { history, input }: Replay): ReadonlyArray<StoredItem> =>
  [...history, ...input].flatMap((item, index) => {
    if (isOfUser(item)) return [wholeItem(asSent(item), inputItemId(id, item, index))]
    const tools = toolsOf(item)
    if (tools.length === 0) return []
    const added = { type: "additional_tools" as const, role: "developer", tools }
    return [{ ...added, id: inputItemId(id, added, index) }]
  })

const isOfUser = (item: Replay["input"][number]): item is StoredItem =>
  "role" in item && item.role === "user" && (item.type ?? "message") === "message"
