import { isDeepStrictEqual } from "node:util"
import { Clock, Effect } from "effect"
import type { Caller } from "../../contract/callers/Caller.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import { withoutEntrusted } from "../../contract/callers/entrusted.ts"
import { isJsonObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { openDecoder } from "../../contract/open.ts"
import { toInvalidRequest } from "../../contract/failures/invalidRequests.ts"
import { Dispatch } from "../../dispatch/Dispatch.ts"
import type { Passthrough } from "../../dispatch/GenerationOptions.ts"
import { asSent } from "../../storedFiles/fileParts.ts"
import { InlineFiles } from "../../storedFiles/InlineFiles.ts"
import { CreateMessage } from "../Request.ts"
import { alreadyContinued, continueInFlight, fingerprintMismatch, threadNotFound, unthreadable } from "./failures.ts"
import type { Reply } from "./reply.ts"
import { TurnStore } from "./store/TurnStore.ts"
import { withoutCacheControl } from "./withoutCacheControl.ts"

/** A thread's request with the whole conversation, and what happens to its answer. */
export interface ThreadTurn {
  readonly payload: CreateMessage
  readonly request: Incoming
  /**
   * The request for an upstream with threads of its own: only the new messages, if it has the rest. Undefined for an
   * upstream without threads, which gets the whole conversation.
   */
  readonly toldTo: (upstream: Upstream) => Pick<Incoming, "body" | "headers"> | undefined
  /**
   * Stores the answer, which can be continued once this resolves. An answer that cannot be continued is not stored.
   *
   * @param isPassed true if the upstream that got only the new messages answered
   */
  readonly keep: (reply: Reply | undefined, isPassed: boolean) => Promise<void>
  /** Allows others to continue the same answer. May be called any number of times. */
  readonly release: () => void
}

type Upstream = Parameters<Passthrough["request"]>[0]

type Refused = Failure

/** Stored conversations, so that a request only needs the new messages. */
export class Threads extends Effect.Service<Threads>()("gateway/messages/threads/Threads", {
  effect: Effect.gen(function* () {
    const store = yield* TurnStore
    const models = yield* Dispatch
    const files = yield* InlineFiles
    /** Answers being continued in this process. Between processes, the table allows one continuation. */
    const inFlight = new Set<string>()

    const find = (caller: Caller, id: string) =>
      Effect.filterOrFail(
        store.find(caller, id),
        (found) => found !== undefined,
        () => threadNotFound(id)
      )

    /**
     * A request with its whole conversation. Fails if the conversation is not available or the request is not allowed
     * to have such fields.
     */
    const wholeBody = Effect.fnUntraced(function* (
      caller: Caller,
      { model, thread }: CreateMessage,
      body: JsonObject,
      request: Incoming
    ) {
      const { thread: _, ...own } = body
      if (models.get(model)?.threads === false) {
        return yield* unthreadable("thread", `the model ${model} has none here`)
      }
      if (thread?.type !== "continue") return { body: own, heldBy: undefined, first: undefined }
      const { previous_message_id: id } = thread
      const found = yield* find(caller, id)
      if (found === "too long") return yield* unthreadable("thread", "this one is longer than 32 MiB")
      if (found.isContinued) return yield* alreadyContinued(id)
      // Secrets of tools are not stored: a request that sends its tools again sends them too.
      const again = setupOf(own)
      const changed = setupFields.filter(
        (name) => again[name] !== undefined && !isDeepStrictEqual(again[name], found.setup[name])
      )
      if (changed.length > 0) return yield* fingerprintMismatch(changed)
      const tools = again["tools"] === undefined ? {} : { tools: own["tools"] }
      const messages = messagesOf(own)
      if (messages.length === 0 && !unfinished.has(found.stopReason)) return yield* nothingNew
      const earlier = yield* files.putIn(caller, found.messages, request) ?? Effect.succeed(found.messages)
      const whole: JsonObject = { ...own, ...found.setup, ...tools, messages: [...earlier, ...messages] }
      return { body: whole, heldBy: found.heldBy, first: found.first }
    })

    /** The request with the whole conversation. Claims nothing. */
    const look = (caller: Caller, payload: CreateMessage, request: Incoming): Effect.Effect<ThreadTurn, Refused> =>
      begun(caller, payload, request, { previousId: previousOf(payload), release: () => {} })

    /** Claims an answer: no other request continues it until it is released. */
    const take = (caller: Caller, payload: CreateMessage, request: Incoming): Effect.Effect<ThreadTurn, Refused> =>
      Effect.suspend(() => {
        const previousId = previousOf(payload)
        const claim = previousId === undefined ? undefined : `${caller.account} ${previousId}`
        if (claim !== undefined && previousId !== undefined) {
          // To one who does not reach it, it is unknown all the same.
          if (inFlight.has(claim)) return Effect.zipRight(find(caller, previousId), continueInFlight(previousId))
          inFlight.add(claim)
        }
        let isReleased = false
        const release = () => {
          if (!isReleased && claim !== undefined) inFlight.delete(claim)
          isReleased = true
        }
        return Effect.onError(begun(caller, payload, request, { previousId, release }), () => Effect.sync(release))
      })

    const begun = Effect.fnUntraced(function* (
      caller: Caller,
      payload: CreateMessage,
      request: Incoming,
      { previousId, release }: { readonly previousId: string | undefined; readonly release: () => void }
    ) {
      const own = bodyOf(request.body, payload)
      const { body, first, heldBy } = yield* wholeBody(caller, payload, own, request)
      if (first !== undefined) request.record?.continues(first)
      const nowMs = yield* Clock.currentTimeMillis
      let holder: string | undefined
      const toldTo = ({ key, name, threads }: Upstream) => {
        // Another of its keys has none of it.
        holder = threads === true ? (key === undefined ? name : `${name} ${key}`) : undefined
        if (holder === undefined) return undefined
        const isKnown = previousId === undefined || heldBy === holder
        return { headers: request.headers, body: isKnown ? own : { ...body, thread: { type: "create" } } }
      }
      const keep = (reply: Reply | undefined, isPassed: boolean): Promise<void> => {
        if (reply === undefined || reply.stop_reason === null || reply.stop_reason === "refusal") return kept
        request.record?.continues(reply.id)
        const turn = {
          id: reply.id,
          previousId,
          setup: previousId === undefined ? setupOf(own) : {},
          messages: messagesOf(own).map((message) => withoutCacheControl(asSent(message))),
          content: reply.content,
          stopReason: reply.stop_reason,
          heldBy: isPassed ? holder : undefined
        }
        return store.save(caller, turn, nowMs)
      }
      const whole = yield* wholePayload(body)
      return {
        payload: whole,
        request: { ...request, body, headers: withoutBeta(request.headers) },
        toldTo,
        keep,
        release
      }
    })

    return { take, look } as const
  })
}) {}

const previousOf = ({ thread }: CreateMessage): string | undefined =>
  thread?.type === "continue" ? thread.previous_message_id : undefined

/** True if a request belongs to a thread. */
export const isThreaded = ({ thread }: CreateMessage): boolean => thread !== undefined && thread !== null

const wholePayload = toInvalidRequest(openDecoder(CreateMessage))

/** Stop reasons of unfinished answers, which continue without a new message. */
const unfinished: ReadonlySet<string> = new Set(["pause_turn", "compaction"])

const nothingNew = new InvalidRequest({
  param: "messages",
  message: "messages: expected at least one message; only an answer that paused goes on without"
})

/** Fields that are set when a thread begins and cannot change. */
const setupFields = ["system", "tools"] as const

const setupOf = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    setupFields.flatMap((name) => {
      const value = body[name] ?? undefined
      if (value === undefined) return []
      return [[name, Array.isArray(value) && name === "tools" ? withoutEntrusted(value) : value]]
    })
  )

const bodyOf = (body: unknown, payload: CreateMessage): JsonObject => (isJsonObject(body) ? body : { ...payload })

const messagesOf = ({ messages }: JsonObject): ReadonlyArray<unknown> => {
  if (typeof messages === "string") return [{ role: "user", content: messages }]
  return Array.isArray(messages) ? messages : []
}

const kept = Promise.resolve()

/** An upstream that gets the whole conversation may refuse the beta for threads. */
const withoutBeta = (headers: Headers): Headers => {
  const betas = headers.get("anthropic-beta")
  if (betas === null) return headers
  const others = betas.split(",").filter((beta) => !beta.trim().startsWith("message-threads-"))
  const changed = new Headers(headers)
  if (others.length === 0) changed.delete("anthropic-beta")
  else changed.set("anthropic-beta", others.join(",").trim())
  return changed
}
