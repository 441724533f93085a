import type { AccountId, Caller, KeyId, KeySecret } from "../callers/Caller.ts"
import type { Attempt } from "./Attempt.ts"
import type { Failure, RateLimited, TooLarge } from "../failures/Failure.ts"
import type { FallbackReason } from "./FallbackReason.ts"
import { blockedReason } from "./GuardrailRecord.ts"
import type { GuardrailRecord } from "./GuardrailRecord.ts"
import { conversationOf } from "../callers/conversationOf.ts"
import { endUserOf } from "../callers/endUserOf.ts"
import { errorName } from "../failures/errorName.ts"
import { isJsonObject } from "../fields.ts"
import type { JsonObject } from "../fields.ts"
import type { Use } from "./Service.ts"
import type { Settlement } from "./Settlement.ts"
import type { ToolCallRecord } from "./ToolCallRecord.ts"
import { longestTag, tagsOf } from "./tagsOf.ts"
import type { Trace } from "./Trace.ts"

/** The list of a price, and the price's name and the list's day there. */
interface PricedBy {
  readonly from: string
  readonly name: string
  readonly asOf?: string
}

/** `once`: sent with an idempotency key; `replayed`: answered with an earlier request's answer. */
type Repetition = "once" | "replayed"

/** A generation that may go on without its client. */
interface Leavable {
  /** The client left. True if the generation is read to its end all the same. */
  readonly leave: () => boolean
  /** True once the client has left a generation that goes on. */
  readonly isLeft: boolean
}

/** Called once, when the request ends. */
type Ended = (record: RequestRecord) => void

/**
 * A request's facts for its log line and its row. Mutable, since every request has one: each stage assigns its fields. A
 * streamed request ends with its stream.
 */
export class RequestRecord {
  readonly requestId: string
  readonly atMs = Date.now()
  readonly method: string
  readonly path: string
  /** The contract's group, and its endpoint by its path: `messages`, `/v1/messages`. */
  readonly family: string
  readonly endpoint: string
  readonly #begun: number
  readonly #ended: Ended
  account: AccountId | undefined
  key: KeyId | undefined
  /** The secret that was used, of a key with two. */
  keySecret: KeySecret | undefined
  status = 0
  /** The failure's kind in snake case (`rate_limited`); `hang_up` if the client left. */
  error: string | undefined
  /** The failure's message as the caller saw it, without the value that the caller sent. */
  reason: string | undefined
  /** The id that the caller sent. */
  model: string | undefined
  /** The reason that another model answered, and its id. */
  fallback: FallbackReason | undefined
  servedModel: string | undefined
  upstreamModel: string | undefined
  upstream: string | undefined
  upstreamKey: string | undefined
  attempts: ReadonlyArray<Attempt> = none
  /** True once an upstream that was not away failed: the request itself may be why. */
  mayBeAtFault = false
  /** Calls of servers' tools. */
  tools: ReadonlyArray<ToolCallRecord> = none
  guardrails: ReadonlyArray<GuardrailRecord> = none
  /** A guardrail that does not only observe blocked it. */
  isBlocked = false
  stream = false
  /** Ms from the request's first byte to the answer's first byte, and to its end. */
  firstByteMs = 0
  durationMs = 0
  used: Use | undefined
  costNanoUsd: number | undefined
  /** The operator's cost at the upstream. */
  upstreamCostNanoUsd: number | undefined
  /** The part of the cost above the hold; undefined if there is none. */
  aboveHoldNanoUsd: number | undefined
  /** The part of it that has no price (`Service`). */
  priceGap: string | undefined
  settledAtMs: number | undefined
  /** The source of the price of the route that answered. */
  pricedBy: PricedBy | undefined
  /** Changed or omitted parameters, as in the reply's `x-gateway-adapted`. */
  adapted: string | undefined
  /** Uncertain parts of the request: `usage_counted`, `usage_doubted:input`, `unpriced`, `above_hold`, `price_differs`, `finish:<reason>`. */
  notes: ReadonlyArray<string> = none
  /** `name=value`. */
  tags: ReadonlyArray<string> = none
  endUser: string | undefined
  /** The person whose key it came with. */
  person: string | undefined
  /** The conversation: as the client names it, otherwise the id of its first stored answer. */
  conversation: string | undefined
  /** The user agent's first product: `OpenAI/JS 6.1.0`. */
  client: string | undefined
  repetition: Repetition | undefined
  /** False for a request that does nothing that an operator looks for. */
  hasRow = true
  /** The task that the request created. */
  task: string | undefined
  /** The caller's own ids of the request. */
  clientRequestId: string | undefined
  traceparent: string | undefined
  /** Ends what the request holds; absent if it holds nothing. */
  holding:
    | {
        readonly end: () => void
        /** Takes more bytes until the request has ended, or refuses them. */
        readonly more: (bytes: number, where: "memory" | "disk") => RateLimited | TooLarge | undefined
      }
    | undefined
  /** The request's generation, while there is one. */
  generation: Leavable | undefined
  /** Present if the request is traced. */
  trace: Trace | undefined
  /** An answer is being streamed. */
  #isOpen = false
  #isOver = false

  constructor(
    ids: { readonly requestId: string; readonly method: string; readonly path: string },
    endpoint: { readonly family: string; readonly endpoint: string },
    begun: number,
    ended: Ended
  ) {
    this.requestId = ids.requestId
    this.method = ids.method
    this.path = ids.path
    this.family = endpoint.family
    this.endpoint = endpoint.endpoint
    this.#begun = begun
    this.#ended = ended
  }

  opened({ account, key, keySecret, person }: Caller): void {
    this.account = account
    this.key = key
    this.keySecret = keySecret
    this.person = person?.id
  }

  /** Reads the client, model, tags and end user from the headers and the body. */
  describe(headers: Headers, body: JsonObject | undefined): void {
    const agent = headers.get("user-agent")
    if (agent !== null) this.client = productOf(agent)
    const conversation = conversationOf(headers, body)
    if (conversation !== undefined) this.conversation = cut(conversation)
    const given = headers.get("x-gateway-tags")
    if (body === undefined) {
      if (given !== null) this.tags = tagsOf(given, undefined)
      return
    }
    const { model, metadata: sent } = body
    if (typeof model === "string") this.model = cut(model)
    const metadata = sent !== undefined && isJsonObject(sent) ? sent : undefined
    if (given !== null || metadata !== undefined) this.tags = tagsOf(given, metadata)
    for (const one of [body["user"], metadata?.["user_id"], body["safety_identifier"]]) {
      if (typeof one !== "string" || one === "") continue
      this.endUser = cut(endUserOf(one))
      break
    }
  }

  /** Names the conversation by the id of its first answer, unless the client named it. */
  continues(firstAnswer: string): void {
    this.conversation ??= firstAnswer
  }

  /** @param calledAt start of the call, on the clock of `performance` */
  attempted(attempt: Omit<Attempt, "offsetMs">, calledAt: number): void {
    this.upstream = attempt.upstream
    this.upstreamModel = attempt.model
    this.upstreamKey = attempt.key
    if (this.attempts.length >= mostAttempts) return
    const recorded = { ...attempt, offsetMs: Math.max(0, calledAt - this.#begun) }
    this.attempts = this.attempts.length === 0 ? [recorded] : [...this.attempts, recorded]
  }

  calledTool(call: ToolCallRecord): void {
    if (this.tools.length < mostTools) this.tools = [...this.tools, call]
  }

  /** A task was created, whose first call goes to this route. */
  creates(task: string, { model, upstream }: Pick<Attempt, "model" | "upstream">): void {
    this.task = task
    this.upstream = upstream
    this.upstreamModel = model
  }

  /** Another model answers. */
  fellBack(reason: FallbackReason, servedModel: string): void {
    this.fallback = reason
    this.servedModel = servedModel
  }

  /** The answer is a stream; `over` ends it. */
  streams(): void {
    this.stream = true
    this.#isOpen = true
  }

  failed(failure: Failure): void {
    this.error = errorName(failure)
    this.reason = this.isBlocked ? blockedReason : reasonOf(failure.message)
  }

  /** The client left before the end. */
  hungUp(): void {
    this.error = "hang_up"
    this.reason = undefined
  }

  /** The last attempt failed after it began to answer. */
  brokeOff(failure: Failure): void {
    this.failed(failure)
    this.mayBeAtFault = true
    const last = this.attempts.at(-1)
    if (last === undefined) return
    this.attempts = [...this.attempts.slice(0, -1), { ...last, outcome: "cut", error: failure.message }]
  }

  /** Adds to `notes`. */
  noted(note: string): void {
    if (this.notes.length < mostNotes && !this.notes.includes(note)) this.notes = [...this.notes, note]
  }

  settled(settlement: Settlement): void {
    const { aboveHoldNanoUsd, atMs, costNanoUsd, priceGap, toldDifferenceNanoUsd = 0, upstreamCostNanoUsd } = settlement
    this.costNanoUsd = costNanoUsd
    this.upstreamCostNanoUsd = upstreamCostNanoUsd
    this.aboveHoldNanoUsd = aboveHoldNanoUsd > 0 ? aboveHoldNanoUsd : undefined
    if (aboveHoldNanoUsd > 0) this.noted("above_hold")
    if (toldDifferenceNanoUsd !== 0) this.noted("price_differs")
    this.priceGap = priceGap
    this.settledAtMs = atMs
  }

  /** The answer's head is about to leave. */
  answered(status: number, millis: number): void {
    this.status = status
    this.firstByteMs = millis
    this.durationMs = millis
    if (!this.#isOpen) this.#end()
  }

  /** The stream has ended. */
  over(how: "finished" | "failed" | "hang-up"): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.durationMs = performance.now() - this.#begun
    if (how === "hang-up") this.hungUp()
    // If the client left before the head was sent, `answered` ends the record.
    if (this.status !== 0) this.#end()
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.holding?.end()
    // Records are stored later than they end.
    this.generation = undefined
    this.#ended(this)
  }
}

const none: ReadonlyArray<never> = []

/** A request tries few routes; further attempts are not recorded. */
const mostAttempts = 20
const mostTools = 100
const mostNotes = 8
const longestName = 200

const cut = (text: string): string => (text.length > longestName ? text.slice(0, longestName) : text)

/** Drops the caller's own value at the end of a message: `temperature: expected a number; got "hot"`. */
const reasonOf = (message: string): string => {
  const given = message.indexOf("; got ")
  return cut(given === -1 ? message : message.slice(0, given))
}

/** The text before the first parenthesis, cut to a table cell. */
const productOf = (agent: string): string => {
  const bracket = agent.indexOf("(")
  return (bracket === -1 ? agent : agent.slice(0, bracket)).trim().slice(0, longestTag)
}
