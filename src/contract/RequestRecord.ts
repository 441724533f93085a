import type { AccountId, Caller, KeyId } from "./Caller.ts"
import type { Failure } from "./Failure.ts"
import { errorName } from "./errorName.ts"
import { isObject, objectAt } from "./json.ts"
import type { Trace } from "./Trace.ts"

/** One call of an upstream for a request. */
export interface Attempt {
  readonly upstream: string
  /** The model as the upstream calls it. */
  readonly model: string
  /** Absent where no answer came; without an error the caller left before it. */
  readonly status: number | undefined
  /** What went wrong, in the words of the log; absent where nothing did. */
  readonly error: string | undefined
  /** When it began, in ms after the request. */
  readonly offsetMs: number
  readonly durationMs: number
  /** The upstream's own id of the request. */
  readonly requestId: string | undefined
}

/** Tokens, and searches, that a request used. */
interface Used {
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  readonly searches: number
}

/** What a request was settled for. */
export interface Settlement {
  readonly atMs: number
  readonly costNanoUsd: number
  readonly upstreamCostNanoUsd: number
}

/** How it was asked for: `once` with an idempotency key, `replayed` where an earlier answer was given. */
type Repetition = "once" | "replayed"

/** Hears of a request when it is over, once. */
type Ended = (record: RequestRecord) => void

/**
 * What is known of a request by its end, for its line in the log and its row: one object, filled in by whoever knows, in
 * plain assignments, since every request has one. A streamed answer's is over when its stream is.
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
  status = 0
  /** What kind of failure it ended with, in snake case: `rate_limited`; `hang_up` where the client left. */
  error: string | undefined
  /** What was wrong, as its caller was told: the field, the rule and what is allowed, without what was given. */
  reason: string | undefined
  /** As it was asked for. */
  model: string | undefined
  upstreamModel: string | undefined
  upstream: string | undefined
  attempts: ReadonlyArray<Attempt> = none
  stream = false
  /** From the request's first byte to its answer's, and to its end, in ms. */
  firstByteMs = 0
  durationMs = 0
  used: Used | undefined
  costNanoUsd: number | undefined
  /** What the operator owes the upstream for it. */
  upstreamCostNanoUsd: number | undefined
  settledAtMs: number | undefined
  /** Names of parameters that were changed or left out, as the reply's header has them. */
  adapted: string | undefined
  /** `name=value`. */
  tags: ReadonlyArray<string> = none
  endUser: string | undefined
  /** The product that the user agent names first: `OpenAI/JS 6.1.0`. */
  client: string | undefined
  repetition: Repetition | undefined
  /** The task that it made. */
  task: string | undefined
  /** The caller's own names for it. */
  clientRequestId: string | undefined
  traceparent: string | undefined
  /** There where it is recorded. */
  trace: Trace | undefined
  /** Whether an answer is being streamed. */
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

  opened({ account, key }: Caller): void {
    this.account = account
    this.key = key
  }

  /** What the headers and the body say beside the request itself. */
  describe(headers: Headers, body: unknown): void {
    const agent = headers.get("user-agent")
    if (agent !== null) this.client = productOf(agent)
    const given = headers.get("x-gateway-tags")
    if (!isObject(body)) {
      if (given !== null) this.tags = tagsOf(given, undefined)
      return
    }
    const { model } = body
    if (typeof model === "string") this.model = cut(model)
    const metadata = objectAt(body, "metadata")
    if (given !== null || metadata !== undefined) this.tags = tagsOf(given, metadata)
    this.endUser = textOf(body["user"]) ?? textOf(metadata?.["user_id"]) ?? textOf(body["safety_identifier"])
  }

  /** @param calledAt when it began, on the clock of `performance` */
  attempted(attempt: Omit<Attempt, "offsetMs">, calledAt: number): void {
    this.upstream = attempt.upstream
    this.upstreamModel = attempt.model
    if (this.attempts.length >= mostAttempts) return
    const { durationMs, error, model, requestId, status, upstream } = attempt
    const offsetMs = Math.max(0, calledAt - this.#begun)
    const told = { upstream, model, status, error, offsetMs, durationMs, requestId }
    this.attempts = this.attempts.length === 0 ? [told] : [...this.attempts, told]
  }

  /** It is answered by a stream: its end is told by `over`. */
  streams(): void {
    this.stream = true
    this.#isOpen = true
  }

  failed(failure: Failure): void {
    this.error = errorName(failure)
    this.reason = reasonOf(failure.message)
  }

  /** Its client left before its end. */
  hungUp(): void {
    this.error = "hang_up"
    this.reason = undefined
  }

  /** The last attempt, which had begun to answer, broke off. */
  brokeOff(failure: Failure): void {
    this.failed(failure)
    const last = this.attempts.at(-1)
    if (last !== undefined) this.attempts = [...this.attempts.slice(0, -1), { ...last, error: failure.message }]
  }

  settled({ atMs, costNanoUsd, upstreamCostNanoUsd }: Settlement): void {
    this.costNanoUsd = costNanoUsd
    this.upstreamCostNanoUsd = upstreamCostNanoUsd
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
    // One that is left before its head has left is over when that is known.
    if (this.status !== 0) this.#end()
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#ended(this)
  }
}

const none: ReadonlyArray<never> = []

/** More are counted nowhere: a request tries few routes. */
const mostAttempts = 20
const mostTags = 10
const longestTag = 64
/** Fields of metadata that are looked at for texts. */
const mostLooks = 50
const longestName = 200

const cut = (text: string): string => (text.length > longestName ? text.slice(0, longestName) : text)

/** Messages end with what a caller gave, which is the caller's: `temperature: expected a number; got "hot"`. */
const reasonOf = (message: string): string => {
  const given = message.indexOf("; got ")
  return cut(given === -1 ? message : message.slice(0, given))
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? cut(value) : undefined

/** Up to the first bracket, and no more than a line of a table takes. */
const productOf = (agent: string): string => {
  const bracket = agent.indexOf("(")
  return (bracket === -1 ? agent : agent.slice(0, bracket)).trim().slice(0, longestTag)
}

/** Those of the header, then those of the body's metadata. */
const tagsOf = (header: string | null, metadata: Readonly<Record<string, unknown>> | undefined) => {
  const tags: Array<string> = []
  const add = (tag: string) => {
    const one = tag.trim()
    if (one !== "" && tags.length < mostTags) tags.push(one.slice(0, longestTag))
  }
  if (header !== null) for (const tag of header.slice(0, mostTags * (longestTag + 2)).split(",")) add(tag)
  let looks = 0
  for (const name in metadata) {
    if (tags.length >= mostTags || ++looks > mostLooks) break
    const value = metadata[name]
    if (typeof value === "string" && name !== "user_id")
      add(`${name.slice(0, longestTag)}=${value.slice(0, longestTag)}`)
  }
  return tags
}
