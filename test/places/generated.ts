import * as fc from "fast-check"
import type { startPlaces } from "./ask.ts"
import { brokenRules, isOwnPlace, isToldBefore } from "./callersOwn.ts"
import { drawnChat } from "./drawn/chat.ts"
import type { Drawn } from "./drawn/drawn.ts"
import { drawnMessage } from "./drawn/messages.ts"
import { drawnResponse } from "./drawn/responses.ts"
import type { FamilyName } from "./kinds.ts"

const drawn: Readonly<Record<FamilyName, { readonly path: string; readonly request: fc.Arbitrary<Drawn> }>> = {
  messages: { path: "/v1/messages", request: drawnMessage },
  chat: { path: "/v1/chat/completions", request: drawnChat },
  responses: { path: "/v1/responses", request: drawnResponse }
}

/** A request that a place refused, though it neither passed through nor is an exception. */
export interface Counterexample {
  readonly family: FamilyName
  readonly place: string
  readonly model: string
  readonly stream: boolean
  readonly status: number
  /** A rule that it broke; `own: …` if the gateway refused it without naming a field. */
  readonly broken: string
  readonly says: string
  readonly request: Drawn
}

/**
 * Asks drawn requests of a family at a place, whole and streamed. Each kind of refusal is found once, and shrunk.
 *
 * @param runs how many requests have to be without a refusal of an unknown kind
 */
export const counterexamples = async (
  { ask, names }: Pick<Awaited<ReturnType<typeof startPlaces>>, "ask" | "names">,
  family: FamilyName,
  place: string,
  runs: number
): Promise<ReadonlyArray<Counterexample>> => {
  const { path, request } = drawn[family]
  const here = names.filter((name) => name.startsWith(`${place}|`))
  const found = new Map<string, Counterexample>()
  for (;;) {
    let last: Counterexample | undefined
    const property = fc.asyncProperty(request, fc.constantFrom(...here), fc.boolean(), async (drawn, name, stream) => {
      const refused = await ask({ family, path, ...drawn, name, stream })
      if (refused === undefined || isToldBefore(refused)) return
      const rules = brokenRules(refused)
      // A place's own words may reach its own callers, and those of the exceptions.
      if (rules.length === 0 && refused.rules.length > 0 && refused.status < 500) return
      if (isOwnPlace(family, place) && refused.status < 500) return
      const kinds = rules.length === 0 ? [`own: ${refused.status} ${refused.says.slice(0, 60)}`] : rules
      const broken = kinds.find((kind) => !found.has(kind))
      if (broken === undefined) return
      last = { ...refused, broken, request: drawn }
      throw new Error(broken)
    })
    const { failed } = await fc.check(property, { numRuns: runs })
    if (!failed || last === undefined) return [...found.values()]
    found.set(last.broken, last)
  }
}
