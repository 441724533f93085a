import { many, mega, messages, on, shapes } from "./Hostile.ts"
import type { Hostile } from "./Hostile.ts"

const onBatches = on("/v1/messages/batches")
const line = (id: string, params: unknown = JSON.parse(messages({}))) => ({ custom_id: id, params })

/** Batches of messages, whose lines are whole requests. */
export const batches: ReadonlyArray<Hostile> = [
  ...shapes.flatMap(([name, shape]) => [
    onBatches(`requests: ${name}`, () => JSON.stringify({ requests: shape() })),
    onBatches(`params: ${name}`, () => JSON.stringify({ requests: [line("a", shape())] }))
  ]),
  onBatches("40,000 lines of one name", () => JSON.stringify({ requests: many(40_000, () => line("a")) })),
  onBatches("a line's name of 20 MB", () => JSON.stringify({ requests: [line("a".repeat(20 * mega))] })),
  // Last: its lines run on.
  onBatches("100,000 lines", () => JSON.stringify({ requests: many(100_000, (index) => line(`line-${index}`)) }))
]
