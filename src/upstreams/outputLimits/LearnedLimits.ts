import type { JsonObject } from "../../contract/fields.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import { outputRoom } from "../../tokens/outputRoom.ts"
import { namedLimit } from "./outputRefusals.ts"

/** How long a limit counts: the upstream may get another model or another window. */
const learnedMs = 600_000
/** The most models to remember. Wildcards let callers name models. */
const mostModels = 1_000

interface Learned {
  readonly contextTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly untilMs: number
}

/** The limits on output that an upstream named in its refusals, by the model's id there. */
export class LearnedLimits {
  readonly #byModel = new Map<string, Learned>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** The most output that the model may be asked for, if the conversation asks for more. */
  mostFor(model: string, conversation: Conversation): number | undefined {
    const learned = this.#of(model)
    return learned === undefined ? undefined : below(conversation, learned)
  }

  /**
   * Reads an upstream's refusal.
   *
   * @param sent the request: a message that is part of it is not remembered
   * @returns the most output for the same conversation; undefined if the refusal is about something else
   */
  learn(model: string, conversation: Conversation, message: string, sent: JsonObject): number | undefined {
    const limit = namedLimit(message)
    if (limit === undefined) return undefined
    if (limit.isWhole && !JSON.stringify(sent).includes(JSON.stringify(message).slice(1, -1))) {
      const before = this.#of(model)
      if (before === undefined && this.#byModel.size >= mostModels) this.#byModel.clear()
      this.#byModel.set(model, {
        contextTokens: limit.contextTokens ?? before?.contextTokens,
        outputTokens: limit.outputTokens ?? before?.outputTokens,
        untilMs: this.#now() + learnedMs
      })
    }
    const { contextTokens, inputTokens } = limit
    if (contextTokens === undefined || inputTokens === undefined) return below(conversation, limit)
    const left = contextTokens - inputTokens
    return left < 1 || left >= (conversation.maxOutputTokens ?? 0) ? undefined : left
  }

  #of(model: string): Learned | undefined {
    const learned = this.#byModel.get(model)
    return learned === undefined || learned.untilMs <= this.#now() ? undefined : learned
  }
}

const below = (
  conversation: Conversation,
  { contextTokens, outputTokens = Infinity }: Pick<Learned, "contextTokens" | "outputTokens">
): number | undefined => {
  const room = contextTokens === undefined ? undefined : outputRoom(conversation, contextTokens)
  const most = Math.min(outputTokens, room ?? Infinity)
  return most < (conversation.maxOutputTokens ?? 0) ? most : undefined
}
