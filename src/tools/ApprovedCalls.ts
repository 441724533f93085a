import { Effect } from "effect"
import type { Failure } from "../contract/failures/Failure.ts"
import { addUsage } from "../generation/addUsage.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import { CallBounds } from "./CallBounds.ts"
import { afterCalls } from "./offeredTools.ts"
import type { WrittenCall } from "./Round.ts"
import { journaledCalls } from "./journal/journaledCalls.ts"
import type { JournalEnd, RoundJournal } from "./journal/RoundJournal.ts"
import type { OfferedTools } from "./ServerTool.ts"

interface Running extends Pick<OfferedTools, "opening"> {
  readonly journal?: RoundJournal | undefined
  readonly mostCalls?: number | undefined
}

const noUse = { used: noUsage, called: noUsage }

/** The calls that the caller has approved. They run once a request, before a route is asked. */
export class ApprovedCalls {
  readonly calls: ReadonlyArray<WrittenCall>
  #ends: ReadonlyArray<JournalEnd> | undefined
  #usage: Usage = noUsage

  constructor(calls: ReadonlyArray<WrittenCall>) {
    this.calls = calls
  }

  /** The highest counts of the calls. */
  get mostUsage(): Usage {
    return this.calls.reduce((sum, { call, tool }) => addUsage(sum, tool.mostUsage(call)), noUsage)
  }

  /**
   * Runs the calls that are allowed, unless they have run. The others are refused.
   *
   * @param isPaid false if the caller's money is not enough
   * @param offered the most calls that the caller allows, and the journal, whose first round they are
   */
  run(isPaid: boolean, { journal, mostCalls, opening }: Running): Effect.Effect<void, Failure> {
    return Effect.suspend(() => {
      if (this.#ends !== undefined) return Effect.void
      const allowed = isPaid ? new CallBounds(mostCalls).allows(this.calls) : []
      const round = { shown: [...opening, ...this.events], said: [], calls: this.calls }
      return Effect.map(journaledCalls(journal, 1, round, allowed, noUse), ({ ends, use }) => {
        this.#ends = ends
        this.#usage = use.called
      })
    })
  }

  /** For the client, before the model's first words. */
  get events(): ReadonlyArray<GenerationEvent> {
    return this.calls.flatMap(({ call, tool }, index) => [
      ...(tool.opens?.(call) ?? []),
      ...(tool.writes?.(call.id, call.arguments) ?? []),
      ...tool.begins(call),
      ...(this.#ends?.[index]?.events ?? [])
    ])
  }

  get usage(): Usage {
    return this.#usage
  }

  /** The conversation with the calls and their results at its end. */
  after(conversation: Conversation): Conversation {
    const pairs = (this.#ends ?? []).map(({ items }) => items)
    const names = new Set(this.calls.map(({ call }) => call.name))
    return {
      ...conversation,
      items: [...conversation.items, ...pairs.map(([call]) => call), ...pairs.map(([, result]) => result)],
      toolChoice: afterCalls(conversation.toolChoice, names)
    }
  }
}
