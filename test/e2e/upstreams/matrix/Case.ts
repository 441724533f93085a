import { strict as assert } from "node:assert"
import type { FakeName } from "../../../upstreams/fakes/fakeUpstream.ts"
import type { Family } from "../callers.ts"
import type { Answer, Ask, Broken, Caller } from "../callers/Ask.ts"
import { checkForm } from "./wellFormed.ts"

/** A combination of family, protocol and mode. */
export interface Cell {
  readonly family: Family
  readonly protocol: FakeName
  readonly stream: boolean
  readonly caller: Caller
  /** The model behind the upstream that plays a scenario. */
  readonly model: (scenario: string) => string
  /** The body of the last answer. */
  readonly heard: () => Promise<string>
  /** The last request that the upstream got; undefined where it does not tell. */
  readonly sent: (() => string) | undefined
  /** Scenarios that the upstream can play; undefined: all. */
  readonly plays?: ReadonlyArray<string>
}

/** One row: something that a caller wants of any upstream. */
export interface Case {
  readonly name: string
  /** The upstream's scenario. */
  readonly scenario: string
  /** True if the case does not apply: the family can't express it, or the upstream can't take it. */
  readonly isNone?: (cell: Cell) => boolean
  readonly run: (cell: Cell) => Promise<Found>
}

/** The answer, and the part of the wish that got lost; any other deviation throws. */
export interface Found {
  readonly answer?: Answer
  readonly lost?: string | undefined
}

export const isNative = ({ family, protocol }: Cell): boolean =>
  ({ messages: "anthropic-messages", responses: "openai-responses", chat: "openai-chat" })[family] === protocol

export const ask = async (cell: Cell, scenario: string, over: Partial<Ask> = {}): Promise<Answer> => {
  const answer = await cell.caller.ask({
    model: cell.model(scenario),
    text: `play:${scenario}`,
    stream: cell.stream,
    ...over
  })
  checkForm(cell.family, await cell.heard(), cell.stream)
  assert.equal(answer.model, cell.model(scenario))
  return answer
}

/** An answer that breaks: with an HTTP error, or with the dialect's own at the end of its stream. */
export const broken = async (cell: Cell, scenario: string, more = ""): Promise<Broken> => {
  const model = cell.model(scenario)
  const told = await cell.caller.broken({ model, text: `play:${scenario} ${more}`, stream: cell.stream })
  const text = await cell.heard()
  if (cell.stream && !text.startsWith("{")) checkForm(cell.family, text, true)
  else assert.equal(typeof JSON.parse(text).error.message, "string")
  return told
}

/** The outcome of a wish: `✓` carried, `≈` in another form, `✗` left out (both with the names told), `400`, `–` none. */
export const outcomeOf = async (one: Case, cell: Cell): Promise<string> => {
  if (one.isNone?.(cell) === true || cell.plays?.includes(one.scenario) === false) return "–"
  try {
    const { answer, lost } = await one.run(cell)
    const named = answer?.headers.get("x-gateway-adapted") ?? null
    const names =
      named
        ?.split(", ")
        .map((name) => ` \`${name}\``)
        .join(",") ?? ""
    if (lost === undefined) return named === null ? "✓" : `≈${names}`
    assert(named !== null, `got lost without a word: ${lost}`)
    return `✗${names}`
  } catch (error) {
    const isRefused = error instanceof Error && "status" in error && error.status === 400
    // A refusal by the fake upstream is a defect: the request should not have been sent.
    if (isRefused && !error.message.includes("fake upstream:")) return "400"
    throw error
  }
}
