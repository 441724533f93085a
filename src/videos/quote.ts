import { Effect } from "effect"
import type { Either } from "effect"
import type { InvalidRequest } from "../contract/failures/Failure.ts"
import { jsonDecoder } from "../contract/jsonDecoder.ts"
import { toInvalidRequest } from "../contract/failures/invalidRequests.ts"
import type { Quoter } from "../ledger/Quote.ts"
import { costOf } from "../ledger/cost.ts"
import { quotedConsumption } from "./consumption.ts"
import { CreateVideoTask } from "./CreateVideoTask.ts"
import { framesPerSecond } from "./geometry.ts"
import type { Resolved } from "./resolve.ts"
import { VideoTasks } from "./VideoTasks.ts"

const decodeBody = toInvalidRequest(jsonDecoder(CreateVideoTask))

/** Quotes a video task: exact, unless the model chooses the length or there are input videos. */
export const makeVideosQuoter = Effect.map(VideoTasks, (videos) => quoterOf(videos, decodeBody))

/** @param decode reads the body of an API's create */
export const quoterOf = (
  videos: VideoTasks,
  decode: (body: unknown) => Either.Either<CreateVideoTask, InvalidRequest>
): Quoter =>
  Effect.fnUntraced(function* (caller, body, headers) {
    const request = yield* decode(body)
    const { model, most, resolved, routes } = yield* videos.settled(caller, request, headers)
    const asked = quotedConsumption(resolved)
    const estimated = quotedConsumption(withUsualInput(withUsualLength(resolved)))
    const isExact = estimated.outputTokens === asked.outputTokens && estimated.videoFrames === asked.videoFrames
    return {
      model: model.id,
      routes,
      estimated,
      most,
      mostNanoUsd: Math.max(...routes.map(({ price }) => costOf(price, most))),
      tier: resolved.settings.serviceTier,
      basis: isExact ? ("exact" as const) : ("usual" as const)
    }
  })

/** The middle of the lengths that a model chooses from: 4 seconds to its longest. */
const withUsualLength = (resolved: Resolved): Resolved => {
  const { settings } = resolved
  if (settings.isOpenLength !== true) return resolved
  const seconds = Math.round((4 + settings.frames / framesPerSecond) / 2)
  return { ...resolved, settings: { ...settings, frames: seconds * framesPerSecond } }
}

const withUsualInput = (resolved: Resolved): Resolved =>
  resolved.settings.inputVideoSeconds === undefined
    ? resolved
    : { ...resolved, settings: { ...resolved.settings, inputVideoSeconds: usualInputSeconds } }

/** The usual total length of input videos. */
const usualInputSeconds = 5
