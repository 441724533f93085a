import { Duration, Effect, Schedule } from "effect"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Conversation, Part } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import { imageLine } from "../generation/imageLine.ts"
import type { GenerateOptions, TextUpstream } from "../upstreams/Upstream.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import { startGeneration } from "../upstreams/text/upstreamOf.ts"

/** The longest delay that an upstream may ask for before a later round, and the time within which its tries begin. */
const longestWait = Duration.seconds(30)

/** Two more tries, after about 0.2 and 0.4 s or when the upstream says. */
const backOff = Schedule.exponential("200 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(2)),
  Schedule.intersect(Schedule.elapsed.pipe(Schedule.whileOutput(Duration.lessThan(longestWait)))),
  Schedule.zipRight(Schedule.identity<Failure | UpstreamError>()),
  Schedule.modifyDelay((error, delay) => Duration.max(delay, waitOf(error)))
)

const waitOf = (error: Failure | UpstreamError) =>
  Duration.millis(error._tag === "UpstreamError" ? (error.retryAfterMs ?? 0) : 0)

/** A round that the upstream has accepted. */
interface LaterRound {
  /** As it was asked. */
  readonly asked: Conversation
  readonly generation: Generation
}

/**
 * Asks the upstream for the next round of an answer that has begun. No other route can take over: signatures and caches
 * are this one's. So a refusal that may pass is tried again here, and nothing that the answer has is lost by it. If the
 * upstream refuses what tools answered, it is asked without their pictures.
 *
 * @param before how many items the caller's request had
 */
export const startLaterRound = (
  upstream: TextUpstream,
  conversation: Conversation,
  options: GenerateOptions,
  before: number
): Effect.Effect<LaterRound, Failure | UpstreamError> => {
  const start = (asked: Conversation) =>
    Effect.map(startPatiently(upstream, asked, options), (generation) => ({ asked, generation }))
  return withoutRefusedPictures(start, conversation, before)
}

/**
 * Starts a round. If the upstream refuses what tools answered, it is asked without their pictures.
 *
 * @param before how many items come before those of the tools
 */
export const withoutRefusedPictures = <A>(
  start: (asked: Conversation) => Effect.Effect<A, Failure | UpstreamError>,
  conversation: Conversation,
  before: number
): Effect.Effect<A, Failure | UpstreamError> =>
  Effect.catchIf(start(conversation), isWrong, (error) => {
    const plain = withoutPictures(conversation, before)
    return plain === undefined ? Effect.fail(error) : start(plain)
  })

const isWrong = (error: Failure | UpstreamError): boolean =>
  (error._tag === "UpstreamError" ? error.failure : error)._tag === "InvalidRequest"

/** The conversation with a line for each picture that tools answered; undefined if there is none. */
const withoutPictures = (conversation: Conversation, before: number): Conversation | undefined => {
  const [asked, answered] = [conversation.items.slice(0, before), conversation.items.slice(before)]
  if (!answered.some((item) => item.type === "tool-result" && item.content.some(({ type }) => type === "image"))) {
    return undefined
  }
  const plain = answered.map((item) =>
    item.type === "tool-result" ? { ...item, content: item.content.map(asLine) } : item
  )
  return { ...conversation, items: [...asked, ...plain] }
}

const asLine = (part: Part): Part => (part.type === "image" ? { type: "text", text: imageLine(part) } : part)

const startPatiently = (
  upstream: TextUpstream,
  conversation: Conversation,
  options: GenerateOptions
): Effect.Effect<Generation, Failure | UpstreamError> =>
  startGeneration(upstream, conversation, { ...options, isPatient: true, mayLeave: undefined }).pipe(
    Effect.tapError((error) =>
      error._tag === "UpstreamError" ? logRefusal(error, upstream.name, options.requestId) : Effect.void
    ),
    Effect.retry({
      schedule: backOff,
      while: (error) =>
        error._tag === "UpstreamError" &&
        error.retry === "again" &&
        Duration.lessThanOrEqualTo(waitOf(error), longestWait)
    })
  )

const logRefusal = ({ failure, said, status }: UpstreamError, upstream: string, requestId: string) =>
  Effect.logWarning("a call to an upstream failed").pipe(
    Effect.annotateLogs({
      event: "upstream.round",
      request_id: requestId,
      upstream,
      error: failure.message,
      ...(status !== undefined && { status }),
      ...(said !== undefined && { said })
    })
  )
