import { Data, Effect, Option, Redacted, Schema } from "effect"
import { callUpstream } from "./client.ts"
import type { UpstreamEntry } from "./fromSettings.ts"
import { headersOf } from "./fromSettings.ts"

/** Why an upstream's models are not known, in words for the operator. */
export class NoModelList extends Data.TaggedError("NoModelList")<{ readonly message: string }> {}

/** How long an upstream may take to answer while a start or a reload waits for it, in ms. */
const deadlines = { connectMs: 2_000, firstByteMs: 5_000, idleMs: 5_000 }
const answerLimit = 4 * 1024 * 1024

const ModelList = Schema.parseJson(Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.NonEmptyString })) }))
const decode = Schema.decodeUnknownOption(ModelList)

/** Asks an upstream what it serves (`/models`, as OpenAI and Anthropic have it). */
export const listModels = (entry: UpstreamEntry): Effect.Effect<ReadonlyArray<string>, NoModelList> =>
  Effect.gen(function* () {
    const answer = yield* Effect.mapError(
      callUpstream({ method: "GET", url: address(entry), headers: headers(entry), deadlines }),
      ({ failure }) => new NoModelList({ message: failure.message })
    )
    const body = yield* Effect.tryPromise({
      try: () => answer.text(answerLimit),
      catch: () => new NoModelList({ message: "its answer broke off" })
    })
    if (answer.status !== 200) return yield* new NoModelList({ message: `it answered with status ${answer.status}` })
    const list = decode(body)
    if (Option.isNone(list)) return yield* new NoModelList({ message: "its answer is no list of models" })
    return list.value.data.map(({ id }) => id)
  })

const address = ({ base_url, protocol }: UpstreamEntry) => {
  const base = base_url.replace(/\/+$/, "")
  return protocol === "anthropic-messages" && !base.endsWith("/v1") ? `${base}/v1/models` : `${base}/models`
}

const headers = (entry: UpstreamEntry) => {
  const key = entry.api_key === undefined ? undefined : Redacted.value(entry.api_key)
  const isAnthropic = entry.protocol === "anthropic-messages"
  return {
    ...(isAnthropic ? { "anthropic-version": "2023-06-01" } : {}),
    ...(key === undefined ? {} : isAnthropic ? { "x-api-key": key } : { authorization: `Bearer ${key}` }),
    ...headersOf(entry)
  }
}
