import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { isJsonObject } from "../contract/fields.ts"
import type { Incoming } from "../contract/handlers.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { InlineFiles } from "../storedFiles/InlineFiles.ts"
import { countTokens } from "../tokens/tokens.ts"
import { understand } from "./decode.ts"
import { passthroughOf } from "./passthrough.ts"
import type { CountTokens } from "./Request.ts"
import { unthreadable } from "./threads/failures.ts"

/** Counts a request's input tokens: by its upstream if that offers it, otherwise by an estimate. */
export const makeCountTokens = Effect.gen(function* () {
  const models = yield* Dispatch
  const pipeline = yield* Pipeline
  const files = yield* InlineFiles
  return Effect.fnUntraced(function* (caller: Caller, sent: CountTokens, asked: Incoming) {
    const input = { caller, payload: sent, request: asked }
    const { payload, request } = yield* files.put(input) ?? Effect.succeed(input)
    if (continues(request.body)) return yield* unthreadable("thread", "one that is continued is not counted")
    const understood = understand(payload, request.body, "count", request.headers)
    const { conversation, objection, servers } = understood
    const { model } = yield* models.choose(caller, conversation.model, "text", request.headers)
    const refused = models.passes(model.id, "messages") ? undefined : objection()
    if (refused !== undefined) return yield* refused
    const naming = servers && { asked: servers, caller, request }
    const listed = naming && (yield* pipeline.listed("messages", naming, understood))
    // No guardrail has looked at what an upstream would count.
    if (pipeline.isGuarded(caller, conversation.model)) return { input_tokens: countTokens(listed ?? conversation) }
    if (listed !== undefined) {
      return { input_tokens: (yield* models.upstreamCount(caller, model, undefined, listed)) ?? countTokens(listed) }
    }
    const passthrough = { family: "messages", request: passthroughOf(payload, alone(request), "", undefined) } as const
    const counted = yield* models.upstreamCount(caller, model, passthrough, conversation)
    return { input_tokens: counted ?? countTokens(conversation) }
  })
})

const continues = (body: unknown): boolean =>
  isJsonObject(body) && isJsonObject(body["thread"]) && body["thread"]["type"] === "continue"

/** Without its thread: an upstream with threads of its own does not know whose they are. */
const alone = (request: Incoming): Incoming => {
  if (!isJsonObject(request.body)) return request
  const { thread: _, ...body } = request.body
  return { ...request, body }
}
