import { isJsonObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { parseJson } from "../../contract/json/json.ts"
import type { Frame, PassthroughFrame } from "../../generation/Machine.ts"
import type { ResponseFrame } from "../encoding.ts"
import type { OutputItem } from "../ResponseObject.ts"
import { ItemsSoFar } from "./ItemsSoFar.ts"
import { isLifecycle, lastOfLifecycle } from "./lifecycle.ts"

/** Numbers the frames of an answer and holds them until they are stored. */
export class Transcript {
  readonly #items = new ItemsSoFar()
  /** The frames that an earlier run has stored, in order: this one has to begin with the same. */
  readonly #stored: ReadonlyArray<ResponseFrame>
  #number = lastOfLifecycle + 1
  #isOther = false
  takeUnsaved: Array<ResponseFrame> = []

  constructor(stored: ReadonlyArray<ResponseFrame> = []) {
    this.#stored = stored
  }

  /** Adds frames of a machine, translated or passthrough. The first lifecycle frames were sent before. */
  take(frames: ReadonlyArray<Frame | PassthroughFrame>): void {
    for (const frame of frames) {
      for (const told of isPassthrough(frame) ? framesIn(frame.written) : [frame]) {
        if (!isLifecycle(told)) this.#add({ ...told, sequence_number: this.#number++ })
      }
    }
  }

  #add(frame: ResponseFrame): void {
    const before = this.#stored[frame.sequence_number - lastOfLifecycle - 1]
    this.#isOther ||= before !== undefined && !Bun.deepEquals(before, asStored(frame))
    this.#items.take(frame)
    if (before === undefined) this.takeUnsaved.push(frame)
  }

  /** False if readers have frames of an earlier run that this one's do not continue. */
  continues(): boolean {
    return !this.#isOther && this.#number > lastOfLifecycle + this.#stored.length
  }

  /** True if the frames are no others than those of an earlier run. */
  isSame(): boolean {
    return !this.#isOther
  }

  /** The frames that are not stored yet, in order. */
  unsaved(): ReadonlyArray<ResponseFrame> {
    return this.takeUnsaved
  }

  saved(): void {
    this.takeUnsaved = []
  }

  items(): ReadonlyArray<OutputItem> {
    return this.#items.items()
  }
}

/** As it is read from the database. */
const asStored = (frame: ResponseFrame): unknown => parseJson(JSON.stringify(frame))

const isPassthrough = (frame: Frame): frame is PassthroughFrame => frame.type === "passthrough"

/** The frames in whole server-sent events, with any line endings. */
const framesIn = (written: string | Uint8Array): ReadonlyArray<Frame> => {
  const frames: Array<Frame> = []
  let data = ""
  for (const line of `${typeof written === "string" ? written : utf8.decode(written)}\n\n`.split(/\r\n|\n|\r/)) {
    if (line.startsWith("data:")) data += line.slice("data:".length)
    else if (line === "" && data !== "") {
      const frame = parseJson(data)
      if (isFrame(frame)) frames.push(frame)
      data = ""
    }
  }
  return frames
}

const isFrame = (value: unknown): value is Frame & JsonObject =>
  isJsonObject(value) && typeof value["type"] === "string"

const utf8 = new TextDecoder()
