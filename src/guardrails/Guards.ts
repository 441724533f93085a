import { Effect } from "effect"
import type { GuardrailEntry } from "../config/sections/Guardrail.ts"
import { InvalidRequest, Unavailable } from "../contract/failures/Failure.ts"
import { withGuardrailCall } from "../contract/records/GuardrailRecord.ts"
import type { GuardrailVerdict } from "../contract/records/GuardrailRecord.ts"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import { askHook } from "./askHook.ts"
import type { GuardedText, Question } from "./askHook.ts"
import type { Verdict } from "./Verdict.ts"

/** A guardrail; without its entry, one that a key or an account names and that the configuration lacks. */
export interface Guard {
  readonly name: string
  readonly entry: GuardrailEntry | undefined
}

/** A request under guardrails. */
export interface GuardedRequest extends Omit<Question, "on" | "texts"> {
  readonly guards: ReadonlyArray<Guard>
  readonly record: RequestRecord | undefined
}

interface Looked {
  readonly texts: ReadonlyArray<string>
  /** The words by the placeholders that stand for them. */
  readonly placeholders: Readonly<Record<string, string>>
}

export const looksAt = ({ entry }: Guard, on: Question["on"]): boolean => entry?.on?.includes(on) ?? true

/**
 * Has each guardrail look at texts, one after another, each at what those before it replaced. Fails if one blocks them, or
 * if one that fails closed gives no verdict.
 *
 * @param mostMs the most time of all, if less than their own
 */
export const look = (
  request: GuardedRequest,
  on: Question["on"],
  given: ReadonlyArray<GuardedText>,
  mostMs = Infinity
): Effect.Effect<Looked, InvalidRequest | Unavailable> =>
  Effect.gen(function* () {
    const untilMs = performance.now() + mostMs
    let texts = given
    let placeholders: Readonly<Record<string, string>> = {}
    if (texts.length === 0) return { texts: [], placeholders }
    for (const { entry, name } of request.guards.filter((guard) => looksAt(guard, on))) {
      if (entry === undefined) return yield* Effect.fail(down(request, { name, on, ms: 0, verdict: "failed" }))
      const mode = entry.mode ?? "block"
      const begun = performance.now()
      const timeoutMs = Math.min(Math.max(1, untilMs - begun), (entry.timeout_seconds ?? 5) * 1_000)
      const verdict = yield* askHook(name, entry, { ...request, on, texts }, timeoutMs)
      const told = toldOf(verdict, mode, texts)
      const call = { name, on, ms: Math.round(performance.now() - begun), verdict: told }
      if (mode === "observe") record(request, call)
      else if (told === "blocked") return yield* Effect.fail(blocked(request, call, verdict))
      else if (told === "failed" && entry.fail !== "open") return yield* Effect.fail(down(request, call))
      else record(request, call)
      if (mode === "redact" && verdict?.verdict === "replace") {
        texts = texts.map(({ at, text }, index) => ({ at, text: verdict.texts[index] ?? text }))
        placeholders = { ...placeholders, ...verdict.placeholders }
      }
    }
    return { texts: texts.map(({ text }) => text), placeholders }
  })

/** A guardrail that only blocks can't replace, so it blocks then. */
const toldOf = (
  verdict: Verdict | undefined,
  mode: NonNullable<GuardrailEntry["mode"]>,
  texts: ReadonlyArray<GuardedText>
): GuardrailVerdict => {
  if (verdict === undefined) return "failed"
  if (verdict.verdict === "block") return "blocked"
  if (verdict.verdict === "allow" || verdict.texts.every((text, index) => text === texts[index]?.text)) return "allowed"
  return mode === "block" ? "blocked" : "replaced"
}

type Called = Parameters<typeof withGuardrailCall>[1]

const record = ({ record: row }: GuardedRequest, call: Called) => {
  if (row !== undefined) row.guardrails = withGuardrailCall(row.guardrails, call)
}

const blocked = (request: GuardedRequest, call: Called, verdict: Verdict | undefined) => {
  record(request, call)
  const words = verdict?.verdict === "block" ? verdict.message : undefined
  const what = call.on === "input" ? "request" : "answer"
  return refusedBy(words ?? `The ${what} was blocked by the guardrail ${call.name}`)
}

/** The refusal of a guardrail. */
export const refusedBy = (message: string) =>
  new InvalidRequest({ param: null, message, upstreamCode: "content_filter" })

const down = (request: GuardedRequest, call: Called) => {
  record(request, call)
  return new Unavailable({ message: `The guardrail ${call.name} does not answer; try again later` })
}
