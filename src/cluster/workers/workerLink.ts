import { Schema } from "effect"
import type { Snapshot } from "../../telemetry/Snapshot.ts"
import type { CountedTogether } from "../../telemetry/Workers.ts"
import { ToWorker } from "./messages.ts"
import type { FromWorker } from "./messages.ts"
import { workerVariable } from "./workerVariable.ts"

/** Timeout of all workers' metrics, in ms. */
const patienceMs = 3_000

/** A worker's link to its supervisor. */
export interface Link {
  /** The first worker prints the start message. */
  readonly isFirst: boolean
  /** Reports that the worker listens. */
  readonly up: (url: URL) => void
  /** Resolves when the worker must leave: on the supervisor's message or end. */
  readonly left: Promise<void>
  readonly together: CountedTogether
  /** Lets the process end once it has nothing more to do. */
  readonly end: () => void
}

/** The link of this process; undefined if it is not a worker. Call once. */
export const workerLink = (): Link | undefined => {
  const which = process.env[workerVariable]
  if (which === undefined || process.send === undefined) return undefined
  // Child processes of this one are not workers.
  delete process.env[workerVariable]
  const send = (message: FromWorker): void => {
    // The supervisor may end at any moment; `disconnect` reports it.
    if (process.connected) process.send?.(message)
  }
  const left = Promise.withResolvers<void>()
  const pending = new Map<number, (all: ReadonlyArray<Snapshot>) => void>()
  let questions = 0
  let own: () => Snapshot = () => []

  const receive = (message: ToWorker): void => {
    switch (message.type) {
      case "ping":
        return send({ type: "pong" })
      case "leave":
        return left.resolve()
      case "count":
        return send({ type: "counts", id: message.id, own: own() })
      case "counted":
        return pending.get(message.id)?.(message.all)
    }
  }
  const isToWorker = Schema.is(ToWorker)
  process.on("message", (message: unknown) => {
    if (isToWorker(message)) receive(message)
  })
  process.once("disconnect", () => left.resolve())

  return {
    isFirst: which === "first",
    up: (url) => send({ type: "up", url: url.href }),
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
        pending.set(id, resolve)
        const timer = setTimeout(() => resolve([own()]), patienceMs)
        send({ type: "ask", id })
        try {
          return await promise
        } finally {
          clearTimeout(timer)
          pending.delete(id)
        }
      }
    }
  }
}
