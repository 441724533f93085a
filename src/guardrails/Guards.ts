import { Effect } from "effect"
import type { GuardrailEntry } from "../config/sections/Guardrail.ts"
import { InvalidRequest, Unavailable } from "../contract/failures/Failure.ts"
import { withGuardrailCall } from "../contract/records/GuardrailRecord.ts"
import type { GuardrailVerdict } from "../contract/records/GuardrailRecord.ts"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import { askHook } from "./askHook.ts"
import type { GuardedText, Question } from "./askHook.ts"
import type { Verdict } from "./Verdict.ts"
import type { Words } from "./Words.ts"

/** A guardrail; without its entry, one that a key or an account names and that the configuration lacks. */
export interface Guard {
  readonly name: string
  readonly entry: GuardrailEntry | undefined
}

/** A request under guardrails. */
export interface GuardedRequest extends Omit<Question, "on" | "texts" | "placeholders"> {
  readonly guards: ReadonlyArray<Guard>
  readonly record: RequestRecord | undefined
  /** The words that the guardrails have replaced so far. */
  readonly words: Words
  /** False if texts can't be replaced, so that replacing them blocks. */
  readonly isReplaceable: boolean
  readonly tell: (call: GuardrailCall) => void
}

/** A call of a guardrail as operators see it. */
export interface GuardrailCall extends Omit<Question, "texts" | "placeholders"> {
  readonly guardrail: string
  readonly verdict: GuardrailVerdict
  /** True if the verdict counts. */
  readonly isEnforced: boolean
  readonly seconds: number
  readonly reason: string | undefined
}

export const looksAt = ({ entry }: Guard, on: Question["on"]): boolean => entry?.on?.includes(on) ?? true

export const isEnforced = ({ entry }: Guard): boolean => entry?.mode !== "observe"

/**
 * Has each guardrail look at texts, one after another, each at what those before it replaced. Fails if one blocks them, or
 * if one that fails closed gives no verdict.
 *
 * @param mostMs the most time of all, if less than their own
 * @returns as many texts
 */
export const look = (
  request: GuardedRequest,
  on: Question["on"],
  given: ReadonlyArray<GuardedText>,
  mostMs = Infinity
): Effect.Effect<ReadonlyArray<string>, InvalidRequest | Unavailable> =>
  Effect.gen(function* () {
    const untilMs = performance.now() + mostMs
    const { words } = request
    let texts = given
    if (texts.length === 0) return []
    for (const guard of request.guards.filter((one) => looksAt(one, on))) {
      const { entry, name } = guard
      if (entry === undefined) return yield* Effect.fail(down(request, { name, on, ms: 0, verdict: "failed" }))
      const begun = performance.now()
      const timeoutMs = Math.min(Math.max(1, untilMs - begun), (entry.timeout_seconds ?? 5) * 1_000)
      const placeholders = on === "input" ? words.placeholders : {}
      const said = yield* askHook(name, entry, { ...request, on, texts, placeholders }, timeoutMs)
      // One placeholder for two words would put the wrong one into the answer.
      const verdict = said?.verdict === "replace" && !words.agreesWith(said.placeholders) ? undefined : said
      const told = toldOf(verdict, (entry.mode ?? "block") !== "block" && request.isReplaceable, texts)
      const ms = performance.now() - begun
      const call = { name, on, ms: Math.round(ms), verdict: told }
      request.tell({
        ...request,
        on,
        guardrail: name,
        verdict: told,
        isEnforced: isEnforced(guard),
        seconds: ms / 1_000,
        reason: verdict?.verdict === "allow" ? undefined : verdict?.reason
      })
      if (!isEnforced(guard)) record(request, call)
      else if (told === "blocked") return yield* Effect.fail(blocked(request, call, verdict))
      else if (told === "failed" && entry.fail !== "open") return yield* Effect.fail(down(request, call))
      else record(request, call)
      if (told === "replaced" && isEnforced(guard) && verdict?.verdict === "replace") {
        texts = texts.map(({ at, text }, index) => ({ at, text: verdict.texts[index] ?? text }))
        if (on === "input") words.add(verdict.placeholders)
      }
    }
    return texts.map(({ text }) => text)
  })

/** A guardrail that may not replace blocks instead. */
const toldOf = (
  verdict: Verdict | undefined,
  mayReplace: boolean,
  texts: ReadonlyArray<GuardedText>
): GuardrailVerdict => {
  if (verdict === undefined) return "failed"
  if (verdict.verdict === "block") return "blocked"
  if (verdict.verdict === "allow" || verdict.texts.every((text, index) => text === texts[index]?.text)) return "allowed"
  return mayReplace ? "replaced" : "blocked"
}

type Called = Parameters<typeof withGuardrailCall>[1]

const record = ({ record: row }: GuardedRequest, call: Called) => {
  if (row !== undefined) row.guardrails = withGuardrailCall(row.guardrails, call)
}

const blocked = (request: GuardedRequest, call: Called, verdict: Verdict | undefined) => {
  record(request, call)
  if (request.record !== undefined) request.record.isBlocked = true
  const message = whyBlocked(request, call, verdict)
  return new InvalidRequest({ param: null, message, upstreamCode: "content_filter" })
}

const whyBlocked = ({ isReplaceable }: GuardedRequest, { name, on }: Called, verdict: Verdict | undefined): string => {
  if (verdict?.verdict === "block" && verdict.message !== undefined) return verdict.message
  return verdict?.verdict === "replace" && !isReplaceable
    ? `The guardrail ${name} replaces texts of the request, which this kind of model gets only as they are`
    : `The ${on === "input" ? "request" : "answer"} was blocked by the guardrail ${name}`
}

const down = (request: GuardedRequest, call: Called) => {
  record(request, call)
  return new Unavailable({ message: `The guardrail ${call.name} does not answer; try again later` })
}
