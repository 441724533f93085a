import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import type { HttpClientError } from "@effect/platform"
import { Schema, Stream } from "effect"
import type { LogQuery } from "../../admin/LogLines.ts"
import { JsonObject } from "../../contract/fields.ts"
import { sseParser } from "../../upstreams/framing/sse.ts"

/** Follows a gateway's log until the gateway ends the stream. */
export const followLogs = (
  client: HttpClient.HttpClient,
  query: LogQuery
): Stream.Stream<JsonObject, HttpClientError.HttpClientError> =>
  Stream.suspend(() => {
    const parser = sseParser()
    const request = HttpClientRequest.get("/admin/v1/logs/events", { urlParams: query })
    return HttpClientResponse.stream(HttpClient.filterStatusOk(client).execute(request)).pipe(
      Stream.mapConcat((bytes) => parser.push(bytes)),
      Stream.filter(({ event }) => event === "line"),
      Stream.map(({ data }) => lineOf(data))
    )
  })

const lineOf = Schema.decodeSync(Schema.parseJson(JsonObject))
