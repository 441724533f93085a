import type { GenerationEvent } from "../../generation/GenerationEvent.ts"

/** Looks for stop sequences that an upstream can't be told. Text that may be the beginning of one is held back. */
export interface StopState {
  readonly stops: ReadonlyArray<string>
  readonly held: string
  readonly hit: boolean
}

export const lookFor = (stops: ReadonlyArray<string>): StopState => ({
  stops: stops.filter((stop) => stop !== ""),
  held: "",
  hit: false
})

/** One batch of events. Once a sequence is hit the answer is over; usage told with it still counts. */
export const stopAt = (
  state: StopState,
  events: ReadonlyArray<GenerationEvent>
): readonly [StopState, ReadonlyArray<GenerationEvent>] => {
  if (state.stops.length === 0) return [state, events]
  const passed: Array<GenerationEvent> = []
  let { held } = state
  for (const [index, event] of events.entries()) {
    if (event.type === "text-delta") {
      const text = held + event.text
      const found = first(text, state.stops)
      if (found !== undefined) {
        if (found.at > 0) passed.push({ type: "text-delta", text: text.slice(0, found.at) })
        passed.push(...events.slice(index).filter((later) => later.type === "usage"))
        passed.push({ type: "finished", reason: "stop-sequence", stopSequence: found.stop })
        return [{ ...state, held: "", hit: true }, passed]
      }
      held = possibleBeginning(text, state.stops)
      if (text.length > held.length) passed.push({ type: "text-delta", text: text.slice(0, text.length - held.length) })
      continue
    }
    if (held !== "" && event.type !== "usage" && event.type !== "citation") {
      passed.push({ type: "text-delta", text: held })
      held = ""
    }
    passed.push(event)
  }
  return [{ ...state, held }, passed]
}

const first = (text: string, stops: ReadonlyArray<string>) => {
  let found: { readonly at: number; readonly stop: string } | undefined
  for (const stop of stops) {
    const at = text.indexOf(stop)
    if (at !== -1 && (found === undefined || at < found.at)) found = { at, stop }
  }
  return found
}

/** The longest end of the text with which a stop sequence begins. */
const possibleBeginning = (text: string, stops: ReadonlyArray<string>): string => {
  const longest = Math.max(...stops.map((stop) => stop.length - 1))
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(text.length - length)
    if (stops.some((stop) => stop.startsWith(end))) return end
  }
  return ""
}
