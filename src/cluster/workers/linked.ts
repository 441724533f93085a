import { Schema } from "effect"
import type { Snapshot } from "../../telemetry/Snapshot.ts"
import type { CountedTogether } from "../../telemetry/Workers.ts"
import { ToWorker } from "./messages.ts"
import type { FromWorker } from "./messages.ts"
import { workerVariable } from "./workerVariable.ts"

/** How long the others' counts are waited for, in ms. */
const patienceMs = 3_000

/** A worker's link to its supervisor. */
export interface Link {
  /** Whether it is the one that greets. */
  readonly isFirst: boolean
  /** Says that it listens. */
  readonly up: (url: URL) => void
  /** Resolves when it is to leave: it is told so, or its supervisor is gone. */
  readonly left: Promise<void>
  readonly together: CountedTogether
  /** Lets the process end once it has nothing more to do. */
  readonly end: () => void
}

/** The link of this process; undefined where it is nobody's worker. To be asked for once. */
export const linked = (): Link | undefined => {
  const which = process.env[workerVariable]
  if (which === undefined || process.send === undefined) return undefined
  // What this process starts is nobody's worker.
  delete process.env[workerVariable]
  const say = (message: FromWorker): void => {
    // It may be gone at any moment, which `disconnect` tells.
    if (process.connected) process.send?.(message)
  }
  const left = Promise.withResolvers<void>()
  const asked = new Map<number, (all: ReadonlyArray<Snapshot>) => void>()
  let questions = 0
  let own: () => Snapshot = () => []

  const heard = (message: ToWorker): void => {
    switch (message.type) {
      case "ping":
        return say({ type: "pong" })
      case "leave":
        return left.resolve()
      case "count":
        return say({ type: "counts", id: message.id, own: own() })
      case "counted":
        return asked.get(message.id)?.(message.all)
    }
  }
  const isToWorker = Schema.is(ToWorker)
  process.on("message", (message: unknown) => {
    if (isToWorker(message)) heard(message)
  })
  process.once("disconnect", () => left.resolve())

  return {
    isFirst: which === "first",
    up: (url) => say({ type: "up", url: url.href }),
    left: left.promise,
    end: () => {
      if (process.connected) process.disconnect?.()
    },
    together: {
      answering: (answer) => {
        own = answer
      },
      all: async () => {
        const id = ++questions
        const { promise, resolve } = Promise.withResolvers<ReadonlyArray<Snapshot>>()
        asked.set(id, resolve)
        const timer = setTimeout(() => resolve([own()]), patienceMs)
        say({ type: "ask", id })
        try {
          return await promise
        } finally {
          clearTimeout(timer)
          asked.delete(id)
        }
      }
    }
  }
}
