import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import type { HttpClientError } from "@effect/platform"
import { Schema, Stream } from "effect"
import type { LogQuery } from "../../admin/LogLines.ts"
import { JsonObject } from "../../contract/fields.ts"
import { sseParser } from "../../upstreams/framing/sse.ts"

/** The lines of a gateway's log as it writes them, for as long as it lets them be read. */
export const followLogs = (
  client: HttpClient.HttpClient,
  query: LogQuery
): Stream.Stream<JsonObject, HttpClientError.HttpClientError> =>
  Stream.suspend(() => {
    const parser = sseParser()
    const asked = HttpClientRequest.get("/admin/v1/logs/events", { urlParams: query })
    return HttpClientResponse.stream(HttpClient.filterStatusOk(client).execute(asked)).pipe(
      Stream.mapConcat((bytes) => parser.push(bytes)),
      Stream.filter(({ event }) => event === "line"),
      Stream.map(({ data }) => lineOf(data))
    )
  })

const lineOf = Schema.decodeSync(Schema.parseJson(JsonObject))
