import { Internal, UpstreamFailed } from "../contract/Failure.ts"
import type { Batch, Generation } from "../generation/Generation.ts"
import { BrokenBody } from "./client.ts"
import type { Exchange } from "./client.ts"
import { SseOverflow } from "./framing/sse.ts"
import { garbled } from "./protocols/upstreamFailure.ts"

/** Makes events of what an upstream sent. The last one it gives is `finished` or `failed`. */
export interface Reader {
  /** The next bytes of a stream, cut anywhere. Throws `SseOverflow` where an event is too large. */
  readonly push: (bytes: Uint8Array) => Batch
  /** The stream is over without having said so; what is left of it may be cut short. */
  readonly end: () => Batch
  /** An answer in one piece. */
  readonly whole: (text: string) => Batch
}

/** The largest answer in one piece, in bytes. */
const answerLimit = 64 * 1024 * 1024

/** An upstream's answer as a generation: a stream or one piece, whichever it turned out to be. One batch a chunk. */
export const generationOf = (reader: Reader, exchange: Exchange): Generation => {
  const streams = exchange.headers.get("content-type")?.includes("text/event-stream") === true
  const take = streams ? streamed(reader, exchange) : whole(reader, exchange)
  let over = false
  let complete = false
  let cancelled = false

  const next = async (): Promise<Batch | undefined> => {
    while (!over && !cancelled) {
      const batch = await take().catch(failedBy)
      if (cancelled) return undefined
      const last = batch.at(-1)
      if (last?.type === "finished" || last?.type === "failed") over = true
      // At a stop sequence that the gateway found itself the upstream goes on writing.
      complete = last?.type === "finished" && last.reason !== "stop-sequence"
      if (batch.length > 0) return batch
    }
    return undefined
  }

  return {
    next,
    cancel: () => {
      if (cancelled) return
      cancelled = true
      // A complete answer's connection is worth keeping; everything else stops at once.
      if (complete) exchange.release()
      else exchange.cancel()
    }
  }
}

type Take = () => Promise<Batch>

const streamed =
  (reader: Reader, exchange: Exchange): Take =>
  async () => {
    const bytes = await exchange.read()
    return bytes === undefined ? reader.end() : reader.push(bytes)
  }

const whole =
  (reader: Reader, exchange: Exchange): Take =>
  async () =>
    reader.whole(await exchange.text(answerLimit))

const failedBy = (cause: unknown): Batch => {
  if (cause instanceof BrokenBody) return [{ type: "failed", failure: new UpstreamFailed({ message: cause.message }) }]
  if (cause instanceof SseOverflow) return [{ type: "failed", failure: garbled }]
  // A defect of ours is an event too: a generation never rejects.
  return [{ type: "failed", failure: new Internal({}) }]
}
