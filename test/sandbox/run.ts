import { Effect } from "effect"
import type { Failure } from "../../src/contract/failures/Failure.ts"
import type { Conversation } from "../../src/generation/Conversation.ts"
import type { Generation } from "../../src/generation/Generation.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { sandboxText } from "../../src/sandbox/SandboxText.ts"
import type { SandboxOptions } from "../../src/sandbox/SandboxText.ts"
import type { GenerateOptions } from "../../src/upstreams/Upstream.ts"
import type { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { conversation, said } from "../generation/conversations.ts"
import { generated } from "../upstreams/generated.ts"

interface RunOptions extends SandboxOptions, Pick<GenerateOptions, "family"> {
  readonly stream?: boolean
}

export const generate = (
  given: Conversation,
  options: RunOptions = {}
): Effect.Effect<Generation, Failure | UpstreamError> =>
  generated(sandboxText(options), given, {
    upstreamModel: "sandbox-text",
    stream: options.stream ?? true,
    requestId: "req_1",
    family: options.family
  })

/** All events of an answer. */
export const run = (
  given: Conversation,
  options: RunOptions = {}
): Effect.Effect<ReadonlyArray<GenerationEvent>, Failure | UpstreamError> =>
  Effect.flatMap(generate(given, options), (generation) =>
    Effect.promise(async () => {
      const events: Array<GenerationEvent> = []
      for (;;) {
        const batch = await generation.next()
        if (batch === undefined) return events
        events.push(...batch)
      }
    })
  )

/** A conversation of one user text. */
export const asking = (text: string, rest: Partial<Conversation> = {}): Conversation =>
  conversation({ items: [said("user", text)], ...rest })

export const textIn = (events: ReadonlyArray<GenerationEvent>): string =>
  events.map((event) => (event.type === "text-delta" ? event.text : "")).join("")

export const reasoningIn = (events: ReadonlyArray<GenerationEvent>): string =>
  events.map((event) => (event.type === "reasoning-delta" ? event.text : "")).join("")

/** The tool calls of an answer, their arguments joined. */
export const callsIn = (events: ReadonlyArray<GenerationEvent>) =>
  events.flatMap((event) =>
    event.type === "tool-call-start"
      ? [
          {
            callId: event.callId,
            name: event.name,
            kind: event.kind,
            arguments: events
              .map((delta) => (delta.type === "tool-call-delta" && delta.callId === event.callId ? delta.text : ""))
              .join("")
          }
        ]
      : []
  )

export const usageIn = (events: ReadonlyArray<GenerationEvent>) => {
  const usage = events.findLast((event) => event.type === "usage")
  if (usage === undefined) throw new Error("no usage")
  return usage.usage
}

export const endOf = (events: ReadonlyArray<GenerationEvent>) => events.at(-1)
