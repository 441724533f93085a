import type { JsonObject } from "../../src/contract/fields.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { initial, step } from "../../src/generation/sequence.ts"
import type { SequencedEvent } from "../../src/generation/sequence.ts"
import type { Protocol } from "../../src/upstreams/protocols/Protocol.ts"
import { conversation } from "./conversations.ts"

/** The events of a stream's frames. */
export const streamed = <S>(
  protocol: Protocol<S>,
  frames: ReadonlyArray<JsonObject>,
  options: { readonly marked?: boolean; readonly asked?: Parameters<typeof conversation>[0] } = {}
): Array<GenerationEvent> => {
  let state = protocol.begin(protocol.lower(conversation(options.asked), { model: "m", stream: true }).back)
  const events: Array<GenerationEvent> = []
  for (const frame of frames) {
    const [next, emitted] = protocol.step(state, frame)
    state = next
    events.push(...emitted)
  }
  return [...events, ...protocol.end(state, options.marked ?? true)]
}

/** The events of an answer in one piece. */
export const answered = <S>(protocol: Protocol<S>, answer: JsonObject, asked?: Parameters<typeof conversation>[0]) =>
  streamed(protocol, protocol.frames(answer) ?? [], { asked: asked ?? {} })

/** What a caller gets of events, without the cuts: items in order, how it ended, and what it cost. */
export const outcome = (events: ReadonlyArray<GenerationEvent>) => {
  let state = initial
  const sequenced: Array<SequencedEvent> = []
  for (const event of events) {
    const [next, emitted] = step(state, event)
    state = next
    sequenced.push(...emitted)
  }
  const items: Array<Record<string, unknown>> = []
  let ending: Record<string, unknown> | undefined
  for (const event of sequenced) {
    const last = items.at(-1)
    if (event.type === "open") items.push({ ...event.item })
    if (event.type === "delta" && last !== undefined) last["text"] = `${(last["text"] as string) ?? ""}${event.text}`
    if (event.type === "citation" && last !== undefined) {
      last["citations"] = [...((last["citations"] as Array<unknown>) ?? []), event.citation]
    }
    if (event.type === "close" && last !== undefined) {
      if (event.isCut && last["type"] === "tool-call") last["cut"] = true
      if (event.signature !== undefined) last["signature"] = event.signature
      if (event.outcome !== undefined) last["outcome"] = event.outcome
    }
    if (event.type === "finished") ending = { reason: event.reason, stopSequence: event.stopSequence }
    if (event.type === "failed") ending = { failed: event.failure._tag, message: event.failure.message }
  }
  return { items, ending, usage: events.findLast((event) => event.type === "usage")?.usage }
}

/** What of an event passes through. */
export const nativeText = (event: GenerationEvent): string => {
  if (event.type !== "passthrough") return ""
  return event.terminal ? event.text : new TextDecoder().decode(event.bytes)
}
