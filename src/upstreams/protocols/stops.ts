import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { State } from "./StopSearch.ts"
import { StopSearch } from "./StopSearch.ts"

/** A search for stop sequences that the upstream does not accept. Text that may begin one is held back. */
export interface StopState {
  /** Undefined if there are none. */
  readonly search: StopSearch | undefined
  readonly place: State
  readonly held: string
}

/** The most characters of stop sequences, because each takes memory during the answer. */
export const mostStopCharacters = 65_536

export const beginStopSearch = (stops: ReadonlyArray<string>): StopState => ({
  search: stops.some((stop) => stop !== "") ? new StopSearch(stops) : undefined,
  place: 0,
  held: ""
})

/**
 * Applies the search to one batch of events. The first complete sequence ends the answer, the longest if several end
 * there. Usage in the same batch still counts.
 */
export const stopAt = (
  state: StopState,
  events: ReadonlyArray<GenerationEvent>
): readonly [StopState, ReadonlyArray<GenerationEvent>] => {
  const { search } = state
  if (search === undefined) return [state, events]
  const passed: Array<GenerationEvent> = []
  let { held, place } = state
  for (const [index, event] of events.entries()) {
    if (event.type === "text-delta") {
      const text = held + event.text
      const match = read(search, place, event.text)
      if (match.stop !== undefined) {
        const before = text.slice(0, held.length + match.length - match.stop.length)
        if (before !== "") passed.push({ type: "text-delta", text: before })
        passed.push(...events.slice(index).filter((later) => later.type === "usage"))
        passed.push({ type: "finished", reason: "stop-sequence", stopSequence: match.stop })
        return [{ search: undefined, place: 0, held: "" }, passed]
      }
      place = match.place
      const sure = text.length - search.depthOf(place)
      held = text.slice(sure)
      if (sure > 0) passed.push({ type: "text-delta", text: text.slice(0, sure) })
      continue
    }
    if (held !== "" && event.type !== "usage" && event.type !== "citation") {
      passed.push({ type: "text-delta", text: held })
      held = ""
      place = 0
    }
    passed.push(event)
  }
  return [{ search, place, held }, passed]
}

/** Reads a text to its end or to that of a stop sequence. */
const read = (search: StopSearch, from: State, text: string) => {
  let place = from
  for (let at = 0; at < text.length; at++) {
    place = search.step(place, text.charCodeAt(at))
    const stop = search.endsAt(place)
    if (stop !== undefined) return { place, stop, length: at + 1 }
  }
  return { place, stop: undefined, length: text.length }
}
