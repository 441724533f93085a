import { parseJson } from "../contract/json/json.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import type { Batch, Generation } from "../generation/Generation.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import { sseEvents } from "../upstreams/framing/sse.ts"
import { idsGiven } from "./idsIn.ts"

/** @param isMade true for what the answer made, false for what the request or the answer names */
type Keep = (ids: ReadonlyArray<string>, isMade: boolean) => Promise<void>

/**
 * Stores the ids that an answer holds, before the caller sees and could use them.
 *
 * @param requested ids of the request, stored too once it is accepted
 */
export const recordIds = (generation: Generation, requested: ReadonlyArray<string>, keep: Keep): Generation =>
  new RecordingGeneration(generation, requested, keep)

class RecordingGeneration extends WrappedGeneration {
  readonly #keep: Keep
  readonly #kept = new Set<string>()
  #waiting: ReadonlyArray<string>

  constructor(inner: Generation, requested: ReadonlyArray<string>, keep: Keep) {
    super(inner)
    this.#keep = keep
    this.#waiting = requested
  }

  protected override note(batch: Batch | undefined): Batch | undefined | Promise<Batch | undefined> {
    const given = (batch ?? []).flatMap(idsOf)
    const named = this.#unkept([...this.#waiting, ...given.flatMap(({ cited }) => cited)])
    this.#waiting = []
    const made = this.#unkept(given.flatMap((ids) => ids.made))
    if (named.length + made.length === 0) return batch
    return Promise.all([this.#keep(named, false), this.#keep(made, true)]).then(() => batch)
  }

  #unkept(ids: ReadonlyArray<string>): ReadonlyArray<string> {
    const unkept = ids.filter((id) => !this.#kept.has(id))
    for (const id of unkept) this.#kept.add(id)
    return unkept
  }
}

const idsOf = (event: GenerationEvent): ReadonlyArray<ReturnType<typeof idsGiven>> => {
  if (event.type !== "passthrough") return []
  const text = event.terminal ? event.text : utf8.decode(event.bytes)
  if (!mayHoldIds.test(text)) return []
  const answers = text.startsWith("{") ? [text] : sseEvents(utf8Encoder.encode(text)).map(({ data }) => data)
  return answers.map((answer) => idsGiven(parseJson(answer)))
}

/** Most frames hold no ids and need not be parsed. */
const mayHoldIds = /"(?:container|conversation|file_id|vector_store_id|skill_id)/

const utf8 = new TextDecoder()
const utf8Encoder = new TextEncoder()
