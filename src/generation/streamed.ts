import { Effect } from "effect"
import { Internal, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { storing, upstreamEnded } from "./ending.ts"
import type { Ending } from "./ending.ts"
import type { Batch, Generation, How } from "./Generation.ts"
import type { Frame, Machine, NativeFrame } from "./Machine.ts"

export interface Streaming<S, F extends Frame> extends Ending<S> {
  readonly generation: Generation
  readonly machine: Machine<S, F>
  /** What is sent after ten seconds of silence (a comment, a `ping` event). */
  readonly heartbeat: string
  readonly request: Incoming
}

/** The longest wait for a first event before the 200 leaves, in ms. */
export const patience = 10_000
/** The longest silence on an open stream, in ms. */
export const heartbeatEvery = 10_000
/** An upstream that says nothing for this long has failed, in ms. */
const idleDeadline = 300_000
/** A reader that takes nothing for this long is cut, in ms. */
const readerDeadline = 120_000

/**
 * Answers with a server-sent event stream. The 200 is held until the first event or ten seconds, whichever comes first:
 * a failure before that is this effect's failure, a later one is told in-band by the machine.
 */
export const streamed = <S, F extends Frame>(options: Streaming<S, F>): Effect.Effect<Response, Failure> =>
  Effect.suspend(() => {
    const { generation } = options
    const respond = (batch: Batch, following?: Promise<Batch | undefined>) =>
      Effect.sync(() => eventStream(body(options, batch, following)))
    const settle = (given: Batch | undefined): Effect.Effect<Response, Failure> => {
      const batch = given ?? [upstreamEnded]
      const failure = failedAtOnce(batch)
      if (failure === undefined) return respond(batch)
      abandon("failed")
      return Effect.fail(failure)
    }
    const abandon = (how: How) => {
      generation.cancel(how)
      options.ended?.(options.machine.initial, how)
    }
    const next = generation.next()
    if (!(next instanceof Promise)) return settle(next)
    return Effect.async<Response, Failure>((resume) => {
      let held = true
      const release = (effect: () => Effect.Effect<Response, Failure>) => {
        if (!held) return
        held = false
        clearTimeout(timer)
        resume(effect())
      }
      const timer = setTimeout(() => release(() => respond([{ type: "started", usage: undefined }], next)), patience)
      void next.then((batch) => release(() => settle(batch)))
      return Effect.sync(() => {
        held = false
        clearTimeout(timer)
        abandon("hang-up")
      })
    })
  })

/** The answer that a source of server-sent events makes. Nothing is asked of the source that the reader does not take. */
export const eventStream = (source: Bun.UnderlyingSource<Uint8Array>): Response =>
  new Response(new ReadableStream<Uint8Array>(source, { highWaterMark: 0 }), { headers })

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no"
}

/** The failure of a generation that did nothing else yet, so that it can still be an HTTP error. */
const failedAtOnce = (batch: Batch): Failure | undefined => {
  for (const event of batch) {
    if (event.type === "failed") return event.failure
    if (event.type !== "started" && event.type !== "usage") return undefined
  }
  return undefined
}

const utf8 = new TextEncoder()

/** @param following the call of `next` that is already under way, where one is */
const body = <S, F extends Frame>(
  options: Streaming<S, F>,
  first: Batch,
  following: Promise<Batch | undefined> | undefined
): Bun.UnderlyingSource<Uint8Array> => {
  const { generation, machine, request } = options
  let state = machine.initial
  const given: Array<Batch | Promise<Batch | undefined>> = following === undefined ? [first] : [first, following]
  let over = false
  let lastSent = performance.now()
  let lastHeard = lastSent
  /** Since when the reader has left a frame untaken; undefined while it waits for us. */
  let untakenSince: number | undefined
  let watch: ReturnType<typeof setInterval>

  const end = (how: How) => {
    if (over) return
    over = true
    clearInterval(watch)
    request.shutdown.removeEventListener("abort", onShutdown)
    request.once?.ended(how)
    generation.cancel(how)
    options.ended?.(state, how)
  }

  /** Steps the machine through a batch; answers the text to send and how the batch ended the stream, if it did. */
  const take = async (batch: Batch): Promise<readonly [string, How | undefined]> => {
    let text = ""
    for (const event of batch) {
      const [next, frames] = machine.step(state, event)
      const stored = event.type === "finished" ? storing(options, next) : undefined
      if (stored !== undefined) {
        try {
          await stored
        } catch {
          const [failedState, failure] = machine.step(state, { type: "failed", failure: new Internal({}) })
          state = failedState
          return [text + render(failure), "failed"]
        }
      }
      state = next
      text += render(frames)
      if (event.type === "finished" || event.type === "failed") return [text, event.type]
    }
    return [text, undefined]
  }

  const failWith = (controller: ReadableStreamDefaultController<Uint8Array>, failure: Failure) => {
    if (over) return
    const [next, frames] = machine.step(state, { type: "failed", failure })
    state = next
    controller.enqueue(utf8.encode(render(frames)))
    end("failed")
    controller.close()
  }

  let onShutdown = () => {}

  return {
    start(controller) {
      onShutdown = () => failWith(controller, new UpstreamFailed({ message: "The gateway is shutting down" }))
      request.shutdown.addEventListener("abort", onShutdown, { once: true })
      watch = setInterval(() => {
        const now = performance.now()
        if (untakenSince !== undefined && now - untakenSince > readerDeadline) {
          end("hang-up")
          controller.error(new Error("the reader stopped reading"))
        } else if (untakenSince === undefined && now - lastHeard > idleDeadline) {
          failWith(controller, new UpstreamFailed({ message: "The model's upstream went silent" }))
        } else if (untakenSince === undefined && now - lastSent >= heartbeatEvery - 500) {
          lastSent = now
          controller.enqueue(utf8.encode(options.heartbeat))
        }
      }, 1_000)
    },
    async pull(controller) {
      untakenSince = undefined
      while (!over) {
        const next = given.shift() ?? generation.next()
        const batch = (next instanceof Promise ? await next : next) ?? [upstreamEnded]
        if (over) return
        lastHeard = performance.now()
        const [text, ending] = await take(batch)
        if (over) return
        if (text !== "") controller.enqueue(utf8.encode(text))
        if (ending !== undefined) {
          end(ending)
          controller.close()
          return
        }
        if (text !== "") {
          lastSent = lastHeard
          untakenSince = lastHeard
          return
        }
      }
    },
    cancel() {
      end("hang-up")
    }
  }
}

/** Frames as the text of server-sent events. */
export const render = (frames: ReadonlyArray<Frame>): string => {
  let text = ""
  for (const frame of frames) {
    text += isNative(frame) ? frame.text : `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`
  }
  return text
}

const isNative = (frame: Frame): frame is NativeFrame => frame.type === "native"
