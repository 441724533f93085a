import { Deferred, Effect, FiberId, FiberSet, Runtime } from "effect"
import type { Fiber } from "effect"
import { Conflict } from "../contract/failures/Failure.ts"
import type { Once } from "../contract/handlers.ts"
import { wholeBody } from "../contract/bodies/wholeBody.ts"
import { testDouble } from "../contract/testDouble.ts"
import { NamedSlots } from "../flow/NamedSlots.ts"
import { Claims } from "./Claims.ts"
import type { Claim } from "./Claims.ts"
import { KeptAnswers, otherBody } from "./store/KeptAnswers.ts"
import type { Ask, KeptAnswer } from "./store/KeptAnswers.ts"
import { record } from "./recording.ts"
import type { Recording } from "./recording.ts"

/** The largest stored answer in bytes. */
const limitBytes = 8 * 1024 * 1024

/** Status and encoder of an answer that is not a stream. */
interface Shape {
  readonly status: number
  readonly render: (value: unknown) => string
}

interface Whole {
  readonly type: "whole"
  readonly answer: KeptAnswer
  /** It is an earlier request's answer. */
  readonly isKept: boolean
}

interface Streaming {
  readonly type: "streaming"
  readonly status: number
  readonly headers: Headers
  readonly recording: Recording
}

type Outcome = Whole | Streaming

/** A running request, with the requests that wait for its answer or read it. */
interface Flight {
  readonly bodyHash: string
  readonly outcome: Deferred.Deferred<Outcome, unknown>
  readonly forget: () => void
  present: number
  work: Fiber.RuntimeFiber<void> | undefined
  recording: Recording | undefined
}

type Start = (once: Once) => Effect.Effect<unknown, unknown>

/**
 * One answer for all requests of an account to an endpoint with the same `Idempotency-Key`. The first does the work;
 * requests during it share it, streams from the beginning; requests within 24 hours get the same bytes. Only successful
 * answers are stored. The work goes on as long as any of the requests waits.
 *
 * Running requests are tracked in this process. Among nodes, the key is also claimed in the database before the work
 * begins (`Claims`), and a request that another node answers waits for the whole answer.
 */
export class Idempotency extends Effect.Service<Idempotency>()("gateway/idempotency/Idempotency", {
  dependencies: [KeptAnswers.Default, Claims.Default],
  scoped: Effect.gen(function* () {
    const answers = yield* KeptAnswers
    const claims = yield* Claims
    const runtime = yield* Effect.runtime()
    const fork = yield* FiberSet.makeRuntime<never, void>()
    const flights = new NamedSlots<Flight>()

    /** @param start does the work; returns a value for `shape` to render, or its own `Response` */
    const answer = (ask: Ask, start: Start, shape: Shape): Effect.Effect<Response, unknown> =>
      Effect.suspend(() => {
        const name = JSON.stringify([ask.account, ask.endpoint, ask.key])
        const running = flights.get(name)
        if (running === undefined) return join(begin(name, ask, start, shape), false)
        if (running.bodyHash !== ask.bodyHash) return Effect.fail(otherBody)
        if (running.recording?.isWhole() === false) return Effect.fail(tooLong)
        return join(running, true)
      })

    const begin = (name: string, ask: Ask, start: Start, shape: Shape): Flight => {
      const flight: Flight = {
        bodyHash: ask.bodyHash,
        outcome: Deferred.unsafeMake(FiberId.none),
        forget: () => {
          if (flights.get(name) === flight) flights.delete(name)
        },
        present: 0,
        work: undefined,
        recording: undefined
      }
      flights.set(name, flight)
      flight.work = fork(
        claims
          .once(ask, given, (claim) => work(flight, claim, start, shape))
          .pipe(
            Effect.exit,
            Effect.flatMap((exit) => {
              if (flight.recording === undefined) flight.forget()
              return Deferred.done(flight.outcome, exit)
            }),
            Effect.asVoid
          )
      )
      return flight
    }

    const work = (flight: Flight, claim: Claim, start: Start, shape: Shape): Effect.Effect<Outcome, unknown> =>
      Effect.suspend(() => {
        let { ask } = claim
        const current: Claim = {
          ...claim,
          get ask() {
            return ask
          }
        }
        let isStored = false
        let ending: Parameters<Once["ended"]>[0] | undefined
        const once: Once = {
          journal: {
            id: journalId(ask),
            account: ask.account,
            expires: true,
            held: claim.held,
            opened: (behind) => {
              ask = { ...ask, behind }
            }
          },
          keep: (value) =>
            Effect.map(answers.keep(ask, whole(shape, value)), () => {
              isStored = true
            }),
          forget: Effect.map(answers.forget(ask), () => {
            isStored = false
          }),
          ended: (reported) => {
            ending = reported
          }
        }
        return Effect.flatMap(start(once), (value) => {
          if (value instanceof Response && value.body !== null) {
            return Effect.sync(() => stream(flight, current, value, value.body ?? new ReadableStream(), () => ending))
          }
          const answer = whole(shape, value)
          const outcome: Outcome = { type: "whole", answer, isKept: false }
          if (!isStored) return Effect.as(store(current, answer), outcome)
          claim.spent()
          return Effect.succeed(outcome)
        })
      })

    const stream = (
      flight: Flight,
      claim: Claim,
      { headers, status }: Response,
      body: ReadableStream<Uint8Array>,
      ending: () => string | undefined
    ): Outcome => {
      const contentType = headers.get("content-type") ?? ""
      const release = claim.goesOn()
      const recording = record(body, limitBytes, {
        isComplete: () => ending() === "finished",
        ended: (bytes) =>
          bytes === undefined || ending() === "failed" || ending() === "hang-up"
            ? Promise.resolve()
            : Runtime.runPromise(runtime)(store(claim, { status, contentType, bytes })),
        over: () => {
          flight.forget()
          release()
        }
      })
      flight.recording = recording
      return { type: "streaming", status, headers, recording }
    }

    /** Stores an answer. A failure is only logged, because the answer was made and paid for. */
    const store = ({ ask, spent }: Claim, answer: KeptAnswer): Effect.Effect<void> =>
      answer.bytes.byteLength > limitBytes
        ? Effect.void
        : Effect.matchCauseEffect(answers.keepAlone(ask, answer), {
            onSuccess: () => Effect.sync(spent),
            onFailure: (cause) => Effect.logWarning("an answer could not be stored for its Idempotency-Key", cause)
          })

    const join = (flight: Flight, isTwin: boolean): Effect.Effect<Response, unknown> => {
      let isHere = true
      flight.present++
      const leave = () => {
        if (!isHere) return
        isHere = false
        if (--flight.present > 0) return
        flight.forget()
        flight.recording?.cancel()
        flight.work?.unsafeInterruptAsFork(FiberId.none)
      }
      return Deferred.await(flight.outcome).pipe(
        Effect.map((outcome) => response(outcome, isTwin, leave)),
        Effect.onInterrupt(() => Effect.sync(leave))
      )
    }

    return { answer } as const
  })
}) {
  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<Idempotency, "_tag">>) => testDouble(Idempotency, given)
}

const response = (outcome: Outcome, isTwin: boolean, leave: () => void): Response => {
  if (outcome.type === "streaming") {
    const headers = new Headers(outcome.headers)
    if (isTwin) headers.set(replayed, "true")
    return new Response(outcome.recording.read(leave), { status: outcome.status, headers })
  }
  const { bytes, contentType, status } = outcome.answer
  const headers = { "content-type": contentType, ...(isTwin || outcome.isKept ? { [replayed]: "true" } : {}) }
  return new Response(wholeBody(bytes), { status, headers })
}

const journalId = ({ account, bodyHash, endpoint, key }: Ask): string =>
  `key_${Bun.SHA256.hash(JSON.stringify([account, endpoint, key, bodyHash]), "hex")}`

const replayed = "idempotent-replayed"

const given = (answer: KeptAnswer): Outcome => ({ type: "whole", answer, isKept: true })

const whole = ({ render, status }: Shape, value: unknown): KeptAnswer => ({
  status,
  contentType: "application/json",
  bytes: Buffer.from(render(value))
})

const tooLong = new Conflict({
  message: "Idempotency-Key: the request with this key is still running, and its answer is too long to be stored",
  code: null
})
