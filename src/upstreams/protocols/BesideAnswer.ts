import type { GenerationEvent } from "../../generation/GenerationEvent.ts"

type Events = ReadonlyArray<GenerationEvent>

/**
 * The texts of an answer that a tool's call is to give. Models write "Here it is:" in front of the call, and callers
 * parse the answer: so texts are held until it is certain that no such call comes, and left out if it does.
 */
export class BesideAnswer {
  #held: Array<GenerationEvent> = []
  #fate: "held" | "given" | "left out" = "held"

  /** The events of a text that may go out now. */
  text(events: Events): Events {
    if (this.#fate === "given") return events
    if (this.#fate === "held") this.#held.push(...events)
    return none
  }

  /** The answer tool is called. False for a further call, since the first is the whole answer. */
  answers(): boolean {
    this.#held = []
    const isFirst = this.#fate !== "left out"
    this.#fate = "left out"
    return isFirst
  }

  /** The texts, if they are the answer: another tool is called, or the answer ends. */
  given(): Events {
    if (this.#fate === "held") this.#fate = "given"
    const held = this.#held
    this.#held = []
    return held
  }
}

const none: Events = []

/** Texts beside the answer tool, of a request that has one. */
export const besideAnswer = (answerTool: string | undefined): BesideAnswer | undefined =>
  answerTool === undefined ? undefined : new BesideAnswer()
