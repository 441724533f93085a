import { Effect } from "effect"
import { addUsage } from "../generation/addUsage.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import { CallBounds } from "./CallBounds.ts"
import { afterCalls } from "./offeredTools.ts"
import type { WrittenCall } from "./Round.ts"
import type { ServerCallEnd } from "./ServerTool.ts"

/** The calls that the caller has approved. They run once a request, before a route is asked. */
export class ApprovedCalls {
  readonly calls: ReadonlyArray<WrittenCall>
  #ends: ReadonlyArray<ServerCallEnd> | undefined

  constructor(calls: ReadonlyArray<WrittenCall>) {
    this.calls = calls
  }

  /** The highest counts of the calls. */
  get mostUsage(): Usage {
    return this.calls.reduce((sum, { tool }) => addUsage(sum, tool.mostUsage), noUsage)
  }

  /**
   * Runs the calls that are allowed, unless they have run. The others are refused.
   *
   * @param isPaid false if the caller's money is not enough
   * @param most the most calls that the caller allows
   */
  run(isPaid: boolean, most?: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#ends !== undefined) return Effect.void
      const allowed = new Set(isPaid ? new CallBounds(most).allows(this.calls) : [])
      const end = (one: WrittenCall) =>
        allowed.has(one) ? one.tool.run(one.call) : Effect.succeed(one.tool.refuse(one.call))
      return Effect.map(Effect.forEach(this.calls, end, { concurrency: 4 }), (ends) => {
        this.#ends = ends
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
    return (this.#ends ?? []).reduce((sum, { usage }) => addUsage(sum, usage), noUsage)
  }

  /** The conversation with the calls and their results at its end. */
  after(conversation: Conversation): Conversation {
    const pairs = (this.#ends ?? []).map(({ items }) => items())
    const names = new Set(this.calls.map(({ call }) => call.name))
    return {
      ...conversation,
      items: [...conversation.items, ...pairs.map(([call]) => call), ...pairs.map(([, result]) => result)],
      toolChoice: afterCalls(conversation.toolChoice, names)
    }
  }
}
