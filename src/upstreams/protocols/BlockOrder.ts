import type { JsonObject } from "../../contract/fields.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"

/** A frame of a content block. */
export interface BlockFrame {
  readonly frame: JsonObject
  /** Undefined if it names none. */
  readonly index: number | undefined
  /** True if a block may begin with it. */
  readonly begins: boolean
  readonly ends: boolean
}

/** The frames of a block that began before others have ended. */
interface HeldBlock {
  readonly frames: Array<JsonObject>
  hasEnded: boolean
}

type Frames = ReadonlyArray<JsonObject>

/** Puts interleaved content blocks one after the other: a block's frames wait until the blocks before it have ended. */
export class BlockOrder {
  #open: number | undefined
  readonly #waiting = new Map<number, HeldBlock>()

  /** The frames to read now. A frame of a block that never began belongs to the open one. */
  take({ begins, ends, frame, index }: BlockFrame): Frames {
    if (index !== undefined && index !== this.#open && this.#open !== undefined) {
      const known = this.#waiting.get(index)
      if (known !== undefined) {
        known.frames.push(frame)
        known.hasEnded = ends
        return none
      }
      if (begins) {
        this.#waiting.set(index, { frames: [frame], hasEnded: false })
        return none
      }
    }
    if (!ends) {
      this.#open ??= index
      return [frame]
    }
    this.#open = undefined
    return this.#waiting.size === 0 ? [frame] : [frame, ...this.#next()]
  }

  /** All frames that wait: no more of these blocks will come. */
  rest(): Frames {
    this.#open = undefined
    if (this.#waiting.size === 0) return none
    const frames = [...this.#waiting.values()].flatMap((block) => block.frames)
    this.#waiting.clear()
    return frames
  }

  #next(): Frames {
    const frames: Array<JsonObject> = []
    for (const [index, block] of this.#waiting) {
      this.#waiting.delete(index)
      for (const frame of block.frames) frames.push(frame)
      if (block.hasEnded) continue
      this.#open = index
      break
    }
    return frames
  }
}

const none: Frames = []

/** Reads several frames. */
export const readAll = <S>(
  state: S,
  frames: Frames,
  read: (state: S, frame: JsonObject) => readonly [S, ReadonlyArray<GenerationEvent>]
): readonly [S, ReadonlyArray<GenerationEvent>] => {
  const [first] = frames
  if (first === undefined) return [state, []]
  if (frames.length === 1) return read(state, first)
  let next = state
  const events: Array<GenerationEvent> = []
  for (const frame of frames) {
    const [after, emitted] = read(next, frame)
    next = after
    events.push(...emitted)
  }
  return [next, events]
}
