import { isJsonObject } from "../../contract/fields.ts"
import { bodyWithoutEntrusted, entrustedIn } from "../../contract/callers/entrusted.ts"
import type { TracedContents } from "../../contract/records/Trace.ts"
import type { Regex } from "../../regex/Regex.ts"
import type { Taken } from "../readAlong.ts"
import { margin, redactText } from "../redact.ts"
import { objectOf } from "../transcript/parts.ts"
import { partialJson } from "../transcript/partialJson.ts"
import { wholeOf } from "../transcript/streamed.ts"
import { answerTurns, askedTurns } from "../transcript/turns.ts"
import { answerInWords, apart, finishReason, messageOf, newestPrompt, partOf, toolOf } from "./conventions.ts"
import { withinBytes, withoutEnd } from "./withinBytes.ts"

/** The most bytes of an attribute. */
const most = 64 * 1024
/** Redaction makes short matches longer. */
const longest = 4 * most

/** @property redact patterns of what to take out beside secrets; undefined if nothing is taken out */
interface ContentRules {
  readonly redact: ReadonlyArray<Regex> | undefined
}

/** The most characters of what a request's own span tells. */
const mostShortly = 16 * 1024

type Values = ReadonlyArray<unknown>

/** The contents of a request and its answer, of any text family, whole or streamed, as attributes of a span. */
export const contentsOf = async (request: Taken, answer: Taken, { redact }: ContentRules): Promise<TracedContents> => {
  const body = partialJson(request.text)
  const { instructions, rest, tools } = apart(objectOf(bodyWithoutEntrusted(body)))
  const parsed = partialJson(answer.text)
  const answered = isJsonObject(parsed) ? parsed : wholeOf(answer.text)
  const entrusted = redact === undefined ? [] : entrustedIn(body)
  const outputs = answerTurns(answered).map(messageOf)
  const isError = answered["error"] !== undefined && answered["error"] !== null
  const attributes: Record<string, string> = {}
  const cut: Array<string> = []

  /** Adds an attribute. @returns its values */
  const tell = async (name: string, values: Values, isCutBefore: boolean, isNewestFirst = false): Promise<Values> => {
    if (values.length === 0) return values
    const ordered = isNewestFirst ? values.toReversed() : values
    const taken = withinBytes(ordered, redact === undefined ? most : most + margin)
    const shown = redact === undefined ? taken : await redacted(taken.value, taken.isCut, redact, entrusted)
    if (isCutBefore || taken.isCut || shown.isCut) cut.push(name)
    const told = isNewestFirst ? shown.value.toReversed() : shown.value
    if (told.length > 0) attributes[name] = JSON.stringify(told).toWellFormed()
    return told
  }

  await tell(
    "gen_ai.system_instructions",
    askedTurns(instructions).flatMap(({ parts }) => parts.flatMap(partOf)),
    false
  )
  // The oldest messages were told by earlier spans.
  const input = await tell("gen_ai.input.messages", askedTurns(rest).map(messageOf), request.isCut, true)
  await tell("gen_ai.tool.definitions", tools.map(toolOf), false)
  const output = await tell(
    "gen_ai.output.messages",
    outputs.map((one) => ({ ...one, finish_reason: finishReason(answer.text, one.parts, isError) })),
    answer.isCut
  )
  const whole = { ...shortly("input.value", newestPrompt(input)), ...shortly("output.value", answerInWords(output)) }
  return { attributes, whole, cut }
}

const shortly = (name: string, words: string): Readonly<Record<string, string>> =>
  words === "" ? {} : { [name]: words.slice(0, mostShortly).toWellFormed() }

const redacted = async (
  values: Values,
  isCut: boolean,
  patterns: ReadonlyArray<Regex>,
  entrusted: ReadonlyArray<string>
): Promise<{ readonly value: Values; readonly isCut: boolean }> => {
  const shown = await redactText({ text: JSON.stringify(values), isCut: false }, longest, patterns, entrusted)
  const parsed = partialJson(shown.text)
  if (!Array.isArray(parsed)) return { value: [], isCut: true }
  // As in recorded bodies: a secret that was cut in two is not recognised.
  const kept = withinBytes(isCut ? withoutEnd(parsed, margin) : parsed, most)
  return { value: kept.value, isCut: isCut || shown.isCut || kept.isCut }
}
