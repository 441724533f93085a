import type { JsonObject } from "../../contract/fields.ts"
import { eventLimit, SseOverflow } from "../framing/sse.ts"
import type { Dialect, Gathering } from "./Dialect.ts"

/** Builds the whole answer that a stream amounts to, within the bounds of a whole one. */
export class Gathered {
  readonly #gathering: Gathering
  #length = 0

  constructor(dialect: Pick<Dialect, "gathers">) {
    this.#gathering = dialect.gathers()
  }

  /**
   * Throws `SseOverflow` if the answer becomes too long.
   *
   * @param length the frame's characters
   */
  add(frame: JsonObject, length: number): void {
    this.#length += length + frameLength
    if (this.#length > eventLimit) throw new SseOverflow(`an answer exceeds ${eventLimit} characters`)
    this.#gathering.add(frame)
  }

  whole(isMarked: boolean): JsonObject | undefined {
    return this.#gathering.whole(isMarked)
  }
}

/** Added for each frame, because millions of short ones take more memory than their text. In characters. */
const frameLength = 64
