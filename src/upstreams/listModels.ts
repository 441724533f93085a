import { Effect, Redacted, Schema } from "effect"
import type { Duration } from "effect"
import type { UpstreamEntry } from "./fromSettings.ts"
import { headersOf } from "./fromSettings.ts"

/** Why an upstream's models are not known, in words for the operator. */
export class NoModelList extends Schema.TaggedError<NoModelList>()("NoModelList", { message: Schema.String }) {}

const ModelList = Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.NonEmptyString })) })

/** Asks an upstream what it serves (`/models`, as OpenAI and Anthropic have it). */
export const listModels = (
  entry: UpstreamEntry,
  deadline: Duration.DurationInput
): Effect.Effect<ReadonlyArray<string>, NoModelList> =>
  Effect.gen(function* () {
    const response = yield* Effect.tryPromise({
      try: (signal) => get(entry, signal),
      catch: () => new NoModelList({ message: "it could not be reached" })
    })
    const body = yield* Effect.tryPromise({
      try: () => response.json(),
      catch: () => new NoModelList({ message: `it answered ${response.status} without JSON` })
    })
    if (!response.ok) return yield* new NoModelList({ message: `it answered ${response.status}` })
    const list = yield* Effect.mapError(
      Schema.decodeUnknown(ModelList)(body),
      () => new NoModelList({ message: "its answer is no list of models" })
    )
    return list.data.map(({ id }) => id)
  }).pipe(
    Effect.timeoutFail({
      duration: deadline,
      onTimeout: () => new NoModelList({ message: "it did not answer in time" })
    })
  )

const get = (entry: UpstreamEntry, signal: AbortSignal): Promise<Response> => {
  const base = entry.base_url.replace(/\/+$/, "")
  const isAnthropic = entry.protocol === "anthropic-messages"
  const key = entry.api_key === undefined ? undefined : Redacted.value(entry.api_key)
  const options: RequestInit & { readonly proxy: false } = {
    headers: {
      ...(isAnthropic ? { "anthropic-version": "2023-06-01" } : {}),
      ...(key === undefined ? {} : isAnthropic ? { "x-api-key": key } : { authorization: `Bearer ${key}` }),
      ...headersOf(entry)
    },
    signal,
    redirect: "manual",
    proxy: false
  }
  // oxlint-disable-next-line no-restricted-globals -- the operator's own address, checked to be http(s) with the file
  return fetch(isAnthropic && !base.endsWith("/v1") ? `${base}/v1/models` : `${base}/models`, options)
}
