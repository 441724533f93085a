import { Effect, Layer } from "effect"
import { kinds } from "../../contract/kinds.ts"
import type { RequestRecord } from "../../contract/records/RequestRecord.ts"
import type { Trace, TracedContents } from "../../contract/records/Trace.ts"
import type { Regex } from "../../regex/Regex.ts"
import { cutAt, readAlong } from "../readAlong.ts"
import { ContentsLog } from "../../telemetry/ContentsLog.ts"
import { AccountContents } from "./AccountContents.ts"
import { contentsOf } from "./contentsOf.ts"

/** Characters of a request and of an answer's stream that are read, each. */
const mostOfRequest = 4 * 1024 * 1024
const mostOfAnswer = 1024 * 1024

/** The names of the messages if they are withheld. */
const withheld: TracedContents = { attributes: {}, whole: {}, cut: ["gen_ai.input.messages", "gen_ai.output.messages"] }

/** True if a guardrail did not let all texts through: the model or the client got others than the bodies have. */
export const isObjectedTo = ({ guardrails }: Pick<RequestRecord, "guardrails">): boolean =>
  guardrails.some(({ verdict }) => verdict !== "allowed")

const isText = (trace: Trace): boolean => trace.calls.some(({ operation }) => operation === kinds.text.operation)

interface Telling {
  /** Patterns to take out beside secrets; undefined if nothing is taken out. */
  readonly redact: ReadonlyArray<Regex> | undefined
  /** Called when the answer has been read; true if the span gets no contents after all. */
  readonly isWithheld: () => boolean
}

/**
 * Returns the same answer, and gives its contents to the trace once they were read by the client. Only a generation of text
 * has contents.
 */
export const traceContents = (
  trace: Trace,
  text: string,
  answer: Response,
  { isWithheld, redact }: Telling
): Response => {
  if (!isText(trace)) return answer
  const { promise, reject, resolve } = Promise.withResolvers<TracedContents>()
  trace.contents = promise
  const request = cutAt(text, mostOfRequest)
  return readAlong(answer, mostOfAnswer, (taken) => {
    if (isWithheld()) resolve(withheld)
    else contentsOf(request, taken, { redact }).then(resolve, reject)
  })
}

/** Gives the contents of what runs without a client to traces, as accounts have it. */
export const ContentsLogLive = Layer.effect(
  ContentsLog,
  Effect.map(AccountContents, (accounts): ContentsLog => ({
    tell: ({ account, record, trace }, texts) => {
      const { contents, redact } = accounts.of(account)
      if (trace?.isSampled !== true || contents === "off" || !isText(trace)) return
      if (contents === "redacted" && isObjectedTo(record)) {
        trace.contents = Promise.resolve(withheld)
        return
      }
      const { answer, request } = texts()
      const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))
      trace.contents = contentsOf(cutAt(text(request), mostOfRequest), cutAt(text(answer), mostOfAnswer), {
        redact: contents === "all" ? undefined : redact
      }).catch(() => withheld)
    }
  }))
).pipe(Layer.provide(AccountContents.Default))
