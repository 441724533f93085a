import { parseJson } from "../contract/json.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import type { Batch, Generation } from "../generation/Generation.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import { sseEvents } from "../upstreams/framing/sse.ts"
import { idsGiven } from "./idsIn.ts"

/**
 * Stores the ids that an answer holds, before the caller sees and could use them.
 *
 * @param requested ids of the request, stored too once it is accepted
 */
export const recordIds = (
  generation: Generation,
  requested: ReadonlyArray<string>,
  keep: (ids: ReadonlyArray<string>) => Promise<void>
): Generation => new RecordingGeneration(generation, requested, keep)

class RecordingGeneration extends WrappedGeneration {
  readonly #keep: (ids: ReadonlyArray<string>) => Promise<void>
  readonly #kept = new Set<string>()
  #waiting: ReadonlyArray<string>

  constructor(
    inner: Generation,
    requested: ReadonlyArray<string>,
    keep: (ids: ReadonlyArray<string>) => Promise<void>
  ) {
    super(inner)
    this.#keep = keep
    this.#waiting = requested
  }

  protected override note(batch: Batch | undefined): Batch | undefined | Promise<Batch | undefined> {
    const ids = [...this.#waiting, ...(batch ?? []).flatMap(idsOf)].filter((id) => !this.#kept.has(id))
    this.#waiting = []
    if (ids.length === 0) return batch
    for (const id of ids) this.#kept.add(id)
    return this.#keep(ids).then(() => batch)
  }
}

const idsOf = (event: GenerationEvent): ReadonlyArray<string> => {
  if (event.type !== "passthrough") return []
  const text = event.terminal ? event.text : utf8.decode(event.bytes)
  if (!mayHoldIds.test(text)) return []
  const answers = text.startsWith("{") ? [text] : sseEvents(utf8Encoder.encode(text)).map(({ data }) => data)
  return answers.flatMap((answer) => idsGiven(parseJson(answer)).map(({ id }) => id))
}

/** Most frames hold no ids and need not be parsed. */
const mayHoldIds = /"(?:container|conversation|file_id|vector_store_id|skill_id)/

const utf8 = new TextDecoder()
const utf8Encoder = new TextEncoder()
