import { Effect, Exit } from "effect"
import { Internal, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Batch, Generation, How } from "./Generation.ts"
import type { GenerationEvent } from "./GenerationEvent.ts"

/** A family's encoder: a pure machine from events to the frames of its dialect. */
export interface Machine<S, F extends Frame> {
  readonly initial: S
  readonly step: (state: S, event: GenerationEvent) => readonly [S, ReadonlyArray<F>]
}

/** One server-sent event; its name is the `type` of its data. */
export interface Frame {
  readonly type: string
}

/** Frames that are text already, passed through. */
export interface NativeFrame extends Frame {
  readonly type: "native"
  readonly text: string
}

interface Ending<S> {
  /** Runs when the generation has ended well, before the last frames leave: what it stores is there when they arrive. */
  readonly commit?: (state: S) => Promise<void>
  /** Runs once, however it ended. */
  readonly ended?: (state: S, how: How) => void
}

export interface Streaming<S, F extends Frame> extends Ending<S> {
  readonly generation: Generation
  readonly machine: Machine<S, F>
  /** What is sent after ten seconds of silence (a comment, a `ping` event). */
  readonly heartbeat: string
  readonly request: Incoming
}

/** The longest wait for a first event before the 200 leaves, and the longest silence on an open stream, in ms. */
const patience = 10_000
/** An upstream that says nothing for this long has failed, in ms. */
const idleDeadline = 300_000
/** A reader that takes nothing for this long is cut, in ms. */
const readerDeadline = 120_000

/** Starts a generation and answers with it: whenever the caller is interrupted, the generation is cancelled. */
export const answering = <A, E, E2>(
  start: Effect.Effect<Generation, E>,
  answer: (generation: Generation) => Effect.Effect<A, E2>
): Effect.Effect<A, E | E2> =>
  Effect.uninterruptible(
    Effect.flatMap(start, (generation) =>
      Effect.onInterrupt(Effect.interruptible(answer(generation)), () => Effect.sync(() => generation.cancel()))
    )
  )

/**
 * Answers with a server-sent event stream. The 200 is held until the first event or ten seconds, whichever comes first:
 * a failure before that is this effect's failure, a later one is told in-band by the machine.
 */
export const streamed = <S, F extends Frame>(options: Streaming<S, F>): Effect.Effect<Response, Failure> =>
  Effect.suspend(() => {
    const { generation } = options
    const respond = (batch: Batch, following?: Promise<Batch | undefined>) =>
      Effect.sync(() => new Response(body(options, batch, following), { headers }))
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

/**
 * Runs a generation to its end and answers the machine's final state: the synchronous answer is the fold of the streamed
 * one. Fails with the generation's failure; interruption cancels it. What needs no waiting is done without any.
 */
export const folded = <S, F extends Frame>(
  options: { readonly generation: Generation; readonly machine: Machine<S, F> } & Ending<S>
): Effect.Effect<S, Failure> =>
  Effect.suspend(() => {
    const { generation, machine } = options
    let state = machine.initial

    /** Steps through what is there already; answers what to wait for, or how it ended. */
    const advance = (given: Batch | undefined | Promise<Batch | undefined>): Promise<Batch | undefined> | Over => {
      let batch = given
      while (!(batch instanceof Promise)) {
        for (const event of batch ?? [upstreamEnded]) {
          if (event.type === "failed") return event
          state = machine.step(state, event)[0]
          if (event.type === "finished") return event
        }
        batch = generation.next()
      }
      return batch
    }

    const over = (how: How) => {
      generation.cancel(how)
      options.ended?.(state, how)
    }

    const conclude = (event: Over): Effect.Effect<S, Failure> => {
      if (event.type === "failed") {
        over("failed")
        return Effect.fail(event.failure)
      }
      const stored = storing(options, state)
      if (stored !== undefined) {
        return Effect.onExit(
          Effect.map(
            Effect.promise(() => stored),
            () => state
          ),
          (exit) => Effect.sync(() => over(Exit.isSuccess(exit) ? "finished" : "failed"))
        )
      }
      over("finished")
      return Effect.succeed(state)
    }

    const first = advance(generation.next())
    if (!(first instanceof Promise)) return conclude(first)
    return Effect.flatMap(
      Effect.async<Over>((resume) => {
        let open = true
        const wait = (batch: Promise<Batch | undefined>) => {
          void batch.then((given) => {
            if (!open) return
            const next = advance(given)
            if (next instanceof Promise) wait(next)
            else resume(Effect.succeed(next))
          })
        }
        wait(first)
        return Effect.sync(() => {
          open = false
          over("hang-up")
        })
      }),
      conclude
    )
  })

/** What the last frames wait for: the family's own commit and the generation's, side by side so that they share one. */
const storing = <S>(
  options: Ending<S> & { readonly generation: Generation },
  state: S
): Promise<unknown> | undefined => {
  const settled = options.generation.settled?.()
  const committed = options.commit?.(state)
  return settled === undefined || committed === undefined ? (settled ?? committed) : Promise.all([settled, committed])
}

type Over = Extract<GenerationEvent, { readonly type: "finished" | "failed" }>

/** What a generation that just stops amounts to. */
const upstreamEnded: GenerationEvent = {
  type: "failed",
  failure: new UpstreamFailed({ message: "The model's upstream ended before its answer did" })
}

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
): ReadableStream<Uint8Array> => {
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

  return new ReadableStream<Uint8Array>(
    {
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
          } else if (untakenSince === undefined && now - lastSent >= patience - 500) {
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
    },
    { highWaterMark: 0 }
  )
}

const render = (frames: ReadonlyArray<Frame>): string => {
  let text = ""
  for (const frame of frames) {
    text += isNative(frame) ? frame.text : `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`
  }
  return text
}

const isNative = (frame: Frame): frame is NativeFrame => frame.type === "native"
