import { isDeepStrictEqual } from "node:util"
import { Clock, Effect } from "effect"
import type { Caller } from "../../contract/Caller.ts"
import { InvalidRequest } from "../../contract/Failure.ts"
import type { NotFound } from "../../contract/Failure.ts"
import { isJsonObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { openDecoder } from "../../contract/open.ts"
import { refusing } from "../../contract/refusing.ts"
import { Dispatch } from "../../dispatch/Dispatch.ts"
import type { Passthrough } from "../../dispatch/GenerationOptions.ts"
import { CreateMessage } from "../Request.ts"
import { alreadyContinued, continueInFlight, fingerprintMismatch, threadNotFound, unthreadable } from "./failures.ts"
import type { Reply } from "./reply.ts"
import { TurnStore } from "./store/TurnStore.ts"
import { withoutCacheControl } from "./withoutCacheControl.ts"

/** A request of a thread as if its caller had sent the whole conversation, and what becomes of its answer. */
export interface ThreadTurn {
  readonly payload: CreateMessage
  readonly request: Incoming
  /**
   * What an upstream of the dialect is told that has threads itself: what is new, where it knows the rest. Undefined for
   * one that has none, which is told the whole.
   */
  readonly toldTo: (upstream: Upstream) => Pick<Incoming, "body" | "headers"> | undefined
  /**
   * Keeps the answer, so that it can be continued once this resolves. One that nothing can go on from is not kept.
   *
   * @param isPassed whether it is that of the upstream that was told last
   */
  readonly keep: (reply: Reply | undefined, isPassed: boolean) => Promise<void>
  /** Lets others continue what this continued; any number of times. */
  readonly release: () => void
}

type Upstream = Parameters<Passthrough["request"]>[0]

type Refused = InvalidRequest | NotFound

/** Conversations that the gateway remembers, so that a request need only say what is new. */
export class Threads extends Effect.Service<Threads>()("gateway/messages/threads/Threads", {
  effect: Effect.gen(function* () {
    const store = yield* TurnStore
    const models = yield* Dispatch
    /** What is being continued. In this process; of two processes one turn would be kept, which the table sees to. */
    const inFlight = new Set<string>()

    /** The whole conversation of a request. Fails where it can't be had, or the request must not say what it says. */
    const wholeBody = Effect.fnUntraced(function* (caller: Caller, { model, thread }: CreateMessage, body: JsonObject) {
      const { thread: _, ...own } = body
      if (models.get(model)?.threads === false) {
        return yield* unthreadable("thread", `the model ${model} has none here`)
      }
      if (thread?.type !== "continue") return { body: own, heldBy: undefined }
      const { previous_message_id: id } = thread
      const found = yield* store.find(caller.account, id)
      if (found === undefined) return yield* threadNotFound(id)
      if (found === "too long") return yield* unthreadable("thread", "this one is longer than 32 MiB")
      if (found.isContinued) return yield* alreadyContinued(id)
      const changed = setupFields.filter(
        (name) => (own[name] ?? undefined) !== undefined && !isDeepStrictEqual(own[name], found.setup[name])
      )
      if (changed.length > 0) return yield* fingerprintMismatch(changed)
      const messages = messagesOf(own)
      if (messages.length === 0 && !unfinished.has(found.stopReason)) return yield* nothingNew
      const whole: JsonObject = { ...own, ...found.setup, messages: [...found.messages, ...messages] }
      return { body: whole, heldBy: found.heldBy }
    })

    /** The request with the whole conversation. It claims nothing. */
    const look = (caller: Caller, payload: CreateMessage, request: Incoming): Effect.Effect<ThreadTurn, Refused> =>
      begun(caller, payload, request, { previousId: previousOf(payload), release: () => {} })

    /** Takes a turn. Nobody else continues the same answer until it is released. */
    const take = (caller: Caller, payload: CreateMessage, request: Incoming): Effect.Effect<ThreadTurn, Refused> =>
      Effect.suspend(() => {
        const previousId = previousOf(payload)
        const claim = previousId === undefined ? undefined : `${caller.account} ${previousId}`
        if (claim !== undefined && previousId !== undefined) {
          if (inFlight.has(claim)) return continueInFlight(previousId)
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
      const { body, heldBy } = yield* wholeBody(caller, payload, own)
      const nowMs = yield* Clock.currentTimeMillis
      let holder: string | undefined
      const toldTo = ({ name, threads }: Upstream) => {
        holder = threads === true ? name : undefined
        if (holder === undefined) return undefined
        const isKnown = previousId === undefined || heldBy === name
        return { headers: request.headers, body: isKnown ? own : { ...body, thread: { type: "create" } } }
      }
      const keep = (reply: Reply | undefined, isPassed: boolean): Promise<void> => {
        if (reply === undefined || reply.stop_reason === null || reply.stop_reason === "refusal") return kept
        const turn = {
          id: reply.id,
          previousId,
          setup: previousId === undefined ? setupOf(own) : {},
          messages: messagesOf(own).map(withoutCacheControl),
          content: reply.content,
          stopReason: reply.stop_reason,
          heldBy: isPassed ? holder : undefined
        }
        return store.save(caller.account, turn, nowMs)
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

/** Whether a request is a thread's. */
export const isThreaded = ({ thread }: CreateMessage): boolean => thread !== undefined && thread !== null

const wholePayload = refusing(openDecoder(CreateMessage))

/** What an answer ends with that is not over: nothing need be said for it to go on. */
const unfinished: ReadonlySet<string> = new Set(["pause_turn", "compaction"])

const nothingNew = new InvalidRequest({
  param: "messages",
  message: "messages: expected at least one message; only an answer that paused goes on without"
})

/** What a thread begins with and keeps. */
const setupFields = ["system", "tools"] as const

const setupOf = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    setupFields.flatMap((name) => ((body[name] ?? undefined) === undefined ? [] : [[name, body[name]]]))
  )

const bodyOf = (body: unknown, payload: CreateMessage): JsonObject => (isJsonObject(body) ? body : { ...payload })

const messagesOf = ({ messages }: JsonObject): ReadonlyArray<unknown> => {
  if (typeof messages === "string") return [{ role: "user", content: messages }]
  return Array.isArray(messages) ? messages : []
}

const kept = Promise.resolve()

/** An upstream that is told the whole conversation need not know of threads, and may refuse a beta that it doesn't. */
const withoutBeta = (headers: Headers): Headers => {
  const betas = headers.get("anthropic-beta")
  if (betas === null) return headers
  const others = betas.split(",").filter((beta) => !beta.trim().startsWith("message-threads-"))
  const changed = new Headers(headers)
  if (others.length === 0) changed.delete("anthropic-beta")
  else changed.set("anthropic-beta", others.join(",").trim())
  return changed
}
