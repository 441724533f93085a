import type { GenerationEvent } from "../generation/GenerationEvent.ts"

/** Finds where an open text may be cut: the length of its first part, 0 if it has to wait. */
export type Cut = (text: string, type: OpenDelta["type"]) => number

export interface Split {
  /** The events that may be looked at now, and then sent. */
  readonly ready: ReadonlyArray<GenerationEvent>
  readonly held: ReadonlyArray<GenerationEvent>
}

type OpenDelta = Extract<GenerationEvent, { readonly type: "text-delta" | "refusal-delta" | "reasoning-delta" }>

/** Splits the events of a stream: calls of tools wait until their arguments are whole, an open text until it can be cut. */
export const splitHeld = (all: ReadonlyArray<GenerationEvent>, cut: Cut): Split => {
  // Some upstreams tell the usage between the pieces of a text.
  const usages = all.filter(({ type }) => type === "usage")
  const events = usages.length === 0 ? all : all.filter(({ type }) => type !== "usage")
  const { held, ready } = splitTexts(events, cut)
  return { ready: usages.length === 0 ? ready : [...usages, ...ready], held }
}

const splitTexts = (events: ReadonlyArray<GenerationEvent>, cut: Cut): Split => {
  const end = firstOpenCall(events)
  const last = events[end - 1]
  if (last === undefined || !isOpenDelta(last)) return { ready: events.slice(0, end), held: events.slice(end) }
  let begin = end - 1
  while (events[begin - 1]?.type === last.type) begin--
  const run = events.slice(begin, end).filter(isOpenDelta)
  let left = cut(run.map(({ text }) => text).join(""), last.type)
  const ready = events.slice(0, begin)
  const held: Array<GenerationEvent> = []
  for (const delta of run) {
    const { text } = delta
    if (text.length <= left) ready.push(delta)
    else {
      if (left > 0) ready.push({ type: delta.type, text: text.slice(0, left) })
      held.push(left > 0 ? { ...delta, text: text.slice(left) } : delta)
    }
    left = Math.max(0, left - text.length)
  }
  return { ready, held: [...held, ...events.slice(end)] }
}

/** True if events end with a text that goes on. */
export const isOpen = (events: ReadonlyArray<GenerationEvent>): boolean => {
  const last = events[firstOpenCall(events) - 1]
  return last !== undefined && isOpenDelta(last)
}

const isOpenDelta = (event: GenerationEvent): event is OpenDelta =>
  event.type === "text-delta" || event.type === "refusal-delta" || event.type === "reasoning-delta"

/** The index of the first call whose arguments are not whole yet; the length if there is none. */
const firstOpenCall = (events: ReadonlyArray<GenerationEvent>): number => {
  const open = new Map<string, number>()
  for (const [index, event] of events.entries()) {
    if (event.type === "tool-call-start") open.set(event.callId, index)
    else if (event.type === "tool-call-end") open.delete(event.callId)
    else if (event.type === "server-call-start") open.set(event.id, index)
    else if (event.type === "server-call-written") open.delete(event.id)
  }
  return Math.min(events.length, ...open.values())
}

/** The length of a text's whole sentences and lines. */
export const sentencesOf = (text: string): number => {
  for (let at = text.length - 1; at > 0; at--) {
    const before = text.charAt(at - 1)
    if (before === "\n" || "。！？".includes(before)) return at
    if (/\s/.test(text.charAt(at)) && ".!?".includes(before)) return at
  }
  return /[\n。！？]$/.test(text) ? text.length : 0
}

/** The length of a text's whole words; all of it if it is one. */
export const wordsOf = (text: string): number => {
  for (let at = text.length - 1; at > 0; at--) if (/\s/.test(text.charAt(at))) return at
  return text.length
}
