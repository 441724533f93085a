import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { Place } from "./StopSearch.ts"
import { StopSearch } from "./StopSearch.ts"

/** Looks for stop sequences that an upstream can't be told. Text that may be the beginning of one is held back. */
export interface StopState {
  /** Undefined where there is nothing to look for. */
  readonly search: StopSearch | undefined
  readonly place: Place
  readonly held: string
}

/** The most characters of stop sequences that are looked for: each takes memory while the answer comes. */
export const mostStopCharacters = 65_536

export const beginStopSearch = (stops: ReadonlyArray<string>): StopState => ({
  search: stops.some((stop) => stop !== "") ? new StopSearch(stops) : undefined,
  place: 0,
  held: ""
})

/**
 * One batch of events. The answer is over with the first sequence that is whole, the longest where several end there;
 * usage told with it still counts.
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
      const found = read(search, place, event.text)
      if (found.stop !== undefined) {
        const said = text.slice(0, held.length + found.length - found.stop.length)
        if (said !== "") passed.push({ type: "text-delta", text: said })
        passed.push(...events.slice(index).filter((later) => later.type === "usage"))
        passed.push({ type: "finished", reason: "stop-sequence", stopSequence: found.stop })
        return [{ search: undefined, place: 0, held: "" }, passed]
      }
      place = found.place
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

/** How far a text is read: to its end, or to that of a stop sequence. */
const read = (search: StopSearch, from: Place, text: string) => {
  let place = from
  for (let at = 0; at < text.length; at++) {
    place = search.step(place, text.charCodeAt(at))
    const stop = search.endsAt(place)
    if (stop !== undefined) return { place, stop, length: at + 1 }
  }
  return { place, stop: undefined, length: text.length }
}
