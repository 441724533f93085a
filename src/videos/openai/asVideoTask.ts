import { Either } from "effect"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import { jsonDecoder } from "../../contract/jsonDecoder.ts"
import { toInvalidRequest } from "../../contract/failures/invalidRequests.ts"
import { CreateVideoTask } from "../CreateVideoTask.ts"
import type { ContentPart } from "../CreateVideoTask.ts"
import type { CreateOpenAIVideo } from "./CreateOpenAIVideo.ts"
import { readSize } from "./size.ts"
import type { SizeBounds } from "./size.ts"

const decode = toInvalidRequest(jsonDecoder(CreateVideoTask))

/** A create in OpenAI's shape as a task's. Left out stays left out, so that the model's defaults hold. */
export const asVideoTask = (
  { callback_url, generate_audio, model, prompt, seconds, seed, size }: CreateOpenAIVideo,
  references: ReadonlyArray<ContentPart>,
  bounds: SizeBounds
): Either.Either<CreateVideoTask, InvalidRequest> => {
  const pixels = typeof size === "string" ? readSize(size, bounds) : undefined
  const task = {
    model,
    content: [{ type: "text", text: prompt }, ...references],
    ...given("duration", numberOf(seconds)),
    ...given("resolution", pixels?.resolution),
    ...given("ratio", pixels?.ratio),
    ...given("callback_url", callback_url),
    ...given("seed", numberOf(seed)),
    ...given("generate_audio", typeof generate_audio === "string" ? generate_audio === "true" : generate_audio)
  }
  return Either.mapLeft(decode(task), renameFields)
}

const given = (name: string, value: unknown) => (value === undefined || value === null ? {} : { [name]: value })

/** A number may be text in a form. */
const numberOf = (value: string | number | null | undefined): unknown =>
  typeof value === "string" ? Number(value) : value

/** A refusal in the words of this API's fields. */
export const renameFields = (failure: InvalidRequest): InvalidRequest => {
  const { message, param } = failure
  const field = param === null ? undefined : fieldOf(param)
  if (param === null || field === undefined || !message.startsWith(`${param}: `)) return failure
  // `size` is two fields of a task: the message names the one that is wrong.
  const rule = field === "size" ? message : message.slice(param.length + 2)
  return new InvalidRequest({ param: field, message: `${field}: ${rule}` })
}

const fieldOf = (param: string): string | undefined => {
  if (param === "resolution" || param === "ratio") return "size"
  if (param === "duration" || param === "frames") return "seconds"
  if (param === "content" || param.startsWith("content[0]")) return "prompt"
  return param.startsWith("content[") ? "input_reference" : undefined
}
